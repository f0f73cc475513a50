// SPDX-License-Identifier: GPL-2.0-only
/* Session files: what was written is read again; what was cut or damaged says how far it goes. */
#include "report_fixture.h"

#include "model/session.h"
#include "source/session.h"

static const struct nvx_session_head head = {
	.created_ns = 1700000000123456789ULL, .interval_ns = 1000000000, .tier = NVX_TIER_BTF,
	.by = "record", .program = "nvx 9.9", .host = "h", .release = "6.1", .source = "stock KVM",
	.note = "a \"quoted\" note\nof two lines",
	.section[NVX_SECTION_EXITS] = { .have = NVX_HAVE_YES },
	.section[NVX_SECTION_IPIS] = { .have = NVX_HAVE_YES, .partial = true, .reason = "half" },
	.section[NVX_SECTION_TLB] = { .have = NVX_HAVE_NO, .reason = "no tracepoint" },
	.lacks[NVX_LACK_HIST] = "no table has it",
};

struct file {
	char *dir, path[300];
	struct nvx_session_reader *r;
};

static int setup(void **state)
{
	struct file *f = calloc(1, sizeof(*f));

	f->dir = make_dir();
	snprintf(f->path, sizeof(f->path), "%s/s.nvx", f->dir);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct file *f = *state;

	nvx_session_reader__close(f->r);
	rm_dir(f->dir);
	free(f);
	return 0;
}

static struct nvx_rows *full_rows(void)
{
	struct nvx_report r = { 0 };

	fixture_report(&r);
	return (struct nvx_rows *)r.rows;
}

/* Deltas 1..nr, a second each; the end where asked for.  Bytes after each in size[]. */
static void write_session(struct file *f, unsigned int nr, bool end, uint64_t *size)
{
	struct nvx_config vm_config = { 0 };
	struct nvx_session_head h = head;
	struct nvx_session_writer *w;
	struct nvx_rows *rows = full_rows();
	char err[NVX_SESSION_ERR];

	assert_int_equal(nvx_config__set(&h.config, "kvm.halt_poll_ns", "200000"), 0);
	assert_int_equal(nvx_config__set(&vm_config, "qemu.-m", "2G"), 0);
	assert_int_equal(nvx_session_writer__open(f->path, true, &h, &w, err), 0);
	for (size_t i = 0; i < ARRAY_SIZE(fixture_vms); i++)
		assert_int_equal(nvx_session_writer__vm(w, fixture_vms[i], &vm_config), 0);
	for (unsigned int i = 0; i < nr; i++) {
		struct nvx_session_delta d = { .t_ns = (i + 1) * 1000000000ULL,
					       .duration_ns = 1000000000, .period = i % 3,
					       .hist = i == 4, .rows = rows,
					       .drops = { .misses = i } };

		assert_int_equal(nvx_session_writer__delta(w, &d), 0);
		if (size)
			size[i] = nvx_session_writer__bytes(w);
	}
	if (end) {
		struct nvx_session_vcpu vcpu[] = { { 0, 3, rows }, { 1, 0, rows } };
		struct nvx_session_end e = { .duration_ns = nr * 1000000000ULL, .rows = rows,
					     .cost = { 10, 20, 30 }, .nr_vcpus = 2, .vcpu = vcpu };

		assert_int_equal(nvx_session_writer__end(w, &e), 0);
		assert_int_equal(e.deltas, nr);
	}
	nvx_session_writer__close(w);
	nvx_config__free(&h.config);
	nvx_config__free(&vm_config);
	nvx_rows__free(rows);
}

static void open_session(struct file *f)
{
	char err[NVX_SESSION_ERR] = "";

	nvx_session_reader__close(f->r);
	f->r = NULL;
	if (nvx_session_reader__open(f->path, &f->r, err))
		fail_msg("%s", err);
}

/* Same rows, whatever their order; b has the histograms of `hists` deltas like a. */
static void same_rows(const struct nvx_rows *a, const struct nvx_rows *b, unsigned int hists)
{
	assert_int_equal(a->nr, b->nr);
	for (size_t i = 0; i < a->nr; i++) {
		const struct nvx_row *row = nvx_rows__find(b, &a->row[i]->l);

		assert_non_null(row);
		assert_memory_equal(row->v, a->row[i]->v, sizeof(row->v));
		for (int h = 0; h < NVX_HIST_SLOTS; h++)
			assert_int_equal(row->hist[h], hists * a->row[i]->hist[h]);
	}
}

static unsigned int read_all(struct file *f)
{
	struct nvx_session_delta d;
	unsigned int nr = 0;
	int ret;

	while ((ret = nvx_session_reader__next(f->r, &d)) > 0) {
		nr++;
		nvx_session_delta__free(&d);
	}
	assert_int_equal(ret, 0);
	return nr;
}

static void written_is_read(void **state)
{
	struct nvx_rows *rows = full_rows(), *no_l2 = nvx_rows__new();
	const struct nvx_session_head *h;
	const struct nvx_session_end *e;
	const struct nvx_vm *const *vms;
	struct nvx_session_delta d;
	struct file *f = *state;
	size_t nr;

	write_session(f, 5, true, NULL);
	assert_int_equal(nvx_rows__add(no_l2, rows, NVX_DROP_LABEL_L2), 0);
	open_session(f);
	h = nvx_session_reader__head(f->r);
	assert_int_equal(h->created_ns, head.created_ns);
	assert_int_equal(h->tier, NVX_TIER_BTF);
	assert_string_equal(h->note, head.note);
	assert_string_equal(h->lacks[NVX_LACK_HIST], "no table has it");
	assert_string_equal(h->lacks[NVX_LACK_TIME], "");
	assert_int_equal(h->section[NVX_SECTION_TLB].have, NVX_HAVE_NO);
	assert_true(h->section[NVX_SECTION_IPIS].partial);
	assert_string_equal(nvx_config__get(&h->config, "kvm.halt_poll_ns"), "200000");
	for (unsigned int i = 0; i < 5; i++) {
		assert_int_equal(nvx_session_reader__next(f->r, &d), 1);
		assert_int_equal(d.t_ns, (i + 1) * 1000000000ULL);
		assert_int_equal(d.period, i % 3);
		assert_int_equal(d.drops.misses, i);
		/* the first has them, the last was asked for */
		same_rows(no_l2, d.rows, i == 0 ? 1 : i == 4 ? 4 : 0);
		assert_int_equal(d.hist, i == 0 || i == 4);
		nvx_session_delta__free(&d);
	}
	assert_int_equal(nvx_session_reader__next(f->r, &d), 0);
	assert_null(nvx_session_reader__trouble(f->r));
	e = nvx_session_reader__end(f->r);
	assert_non_null(e);
	same_rows(rows, e->rows, 1);
	assert_int_equal(e->drops.misses, 0 + 1 + 2 + 3 + 4);
	assert_int_equal(e->cost.run_ns, 20);
	assert_int_equal(e->nr_vcpus, 2);
	assert_int_equal(e->vcpu[0].vcpu, 3);
	same_rows(rows, e->vcpu[1].rows, 1);
	vms = nvx_session_reader__vms(f->r, &nr);
	assert_int_equal(nr, ARRAY_SIZE(fixture_vms));
	assert_string_equal(vms[1]->id.name, fixture_vmx.id.name);
	assert_int_equal(vms[1]->id.vmm, NVX_VMM_KUBEVIRT);
	assert_string_equal(nvx_config__get(nvx_session_reader__vm_config(f->r, 0), "qemu.-m"),
			    "2G");
	nvx_rows__free(rows);
	nvx_rows__free(no_l2);
}

/* After each flush the file holds that delta, and says that it has no end. */
static void without_end(void **state)
{
	struct file *f = *state;
	uint64_t size[4];

	write_session(f, 4, false, size);
	for (int i = 3; i >= 0; i--) {
		assert_int_equal(truncate(f->path, size[i]), 0);
		open_session(f);
		assert_int_equal(read_all(f), i + 1);
		assert_null(nvx_session_reader__end(f->r));
		assert_non_null(strstr(nvx_session_reader__trouble(f->r), "cut off"));
	}
}

static char *slurp(const char *path, size_t *len)
{
	char *data = malloc(1 << 20);
	FILE *in = fopen(path, "r");

	*len = fread(data, 1, 1 << 20, in);
	fclose(in);
	return data;
}

/* Every cut gives the deltas before it and no end; too short for a head is an error. */
static void cut_anywhere(void **state)
{
	struct file *f = *state;
	uint64_t size[3];
	char *data;
	size_t len;

	write_session(f, 3, true, size);
	data = slurp(f->path, &len);
	for (size_t cut = 0; cut < len; cut += 1 + cut % 7) {
		unsigned int want = (cut >= size[0]) + (cut >= size[1]) + (cut >= size[2]);
		char err[NVX_SESSION_ERR] = "";
		int ret;

		put_bytes(f->dir, "s.nvx", data, cut);
		nvx_session_reader__close(f->r);
		f->r = NULL;
		ret = nvx_session_reader__open(f->path, &f->r, err);
		if (ret) {
			assert_true(*err && cut < size[0]);
			continue;
		}
		assert_int_equal(read_all(f), want);
		assert_null(nvx_session_reader__end(f->r));
		assert_non_null(nvx_session_reader__trouble(f->r));
	}
	free(data);
}

/* A changed byte never changes a number: what is read is what was written, or it is trouble. */
static void flipped_anywhere(void **state)
{
	struct nvx_rows *rows = full_rows(), *no_l2 = nvx_rows__new();
	struct file *f = *state;
	size_t len;
	char *data;

	assert_int_equal(nvx_rows__add(no_l2, rows, NVX_DROP_LABEL_L2), 0);
	write_session(f, 3, true, NULL);
	data = slurp(f->path, &len);
	for (size_t at = 0; at < len; at += 3) {
		char err[NVX_SESSION_ERR] = "";
		struct nvx_session_delta d;
		FILE *in;

		data[at] ^= 1 << at % 8;
		in = fmemopen(data, len, "r");
		nvx_session_reader__close(f->r);
		f->r = NULL;
		if (!nvx_session_reader__from(in, "flipped", &f->r, err)) {
			while (nvx_session_reader__next(f->r, &d) > 0) {
				same_rows(no_l2, d.rows, d.hist);
				nvx_session_delta__free(&d);
			}
			if (nvx_session_reader__end(f->r))
				same_rows(rows, nvx_session_reader__end(f->r)->rows, 1);
		}
		data[at] ^= 1 << at % 8;
	}
	free(data);
	nvx_rows__free(rows);
	nvx_rows__free(no_l2);
}

static void what_is_no_session(void **state)
{
	struct nvx_session_writer *w;
	struct file *f = *state;
	char err[NVX_SESSION_ERR];
	size_t len;
	char *data;

	assert_int_equal(nvx_session_reader__open("/nonexistent/x.nvx", &f->r, err), -ENOENT);
	put(f->dir, "s.nvx", "some text");
	assert_int_equal(nvx_session_reader__open(f->path, &f->r, err), -EINVAL);
	assert_non_null(strstr(err, "is no session of nvx"));
	assert_int_equal(nvx_session_writer__open(f->path, false, &head, &w, err), -EEXIST);
	assert_non_null(strstr(err, "--force"));
	/* two sessions in one file would be read as the first */
	write_session(f, 1, true, NULL);
	data = slurp(f->path, &len);
	memcpy(data + len, data, len);
	put_bytes(f->dir, "s.nvx", data, 2 * len);
	free(data);
	open_session(f);
	assert_int_equal(read_all(f), 1);
	assert_null(nvx_session_reader__end(f->r));
	assert_non_null(strstr(nvx_session_reader__trouble(f->r), "follow"));
}

/* A generator of its own: the same numbers everywhere. */
static uint64_t noise(void)
{
	static uint64_t x = 88172645463325252ULL;

	x ^= x << 13;
	x ^= x >> 7;
	return x ^= x << 17;
}

/* About `mean`, as a second of a steady load is: a tenth more or less. */
static uint64_t about(uint64_t mean)
{
	return mean - mean / 10 + noise() % (mean / 5 + 1);
}

/* The i-th of a set: few rows have most, many have some. */
static void busy_row(struct nvx_rows *rows, unsigned int set, unsigned int i, uint64_t rate)
{
	struct nvx_labels l = { .set = set, .isa = NVX_ISA_VMX, .key = i, .key2 = i * 7 % 31,
				.level = 1 + i % 2 };
	uint64_t count = about(rate / ((i + 1) * (i + 1)) + 3);
	unsigned int nr, slots = nvx_set__hist(set);
	const enum nvx_value *v = nvx_set__values(set, &nr);
	struct nvx_row *row = nvx_rows__at(rows, &l);

	row->v[NVX_V_DONE] = 0;
	for (unsigned int k = 0; k < nr; k++)
		row->v[v[k]] = v[k] == NVX_V_TIME ? count * about(2500) :
			       k == 0 || k == 2	  ? count :
						    i % 3;
	if (slots)
		row->v[NVX_V_DONE] = count;
	for (unsigned int s = 0; s < slots && s < 10; s++)
		row->hist[s + 2] = about(count >> (s > 4 ? s - 4 : 4 - s));
}

/* 64 vCPUs of an L1 with everything in use: what slots of vCPUs add up to in a second. */
static struct nvx_rows *busy_rows(void)
{
	static const struct {
		unsigned int set, rows;
		uint64_t rate;
	} have[] = { { NVX_SET_VMS, 1, 3000000 },  { NVX_SET_EXITS, 28, 800000 },
		     { NVX_SET_MSRS, 14, 200000 }, { NVX_SET_HYPERCALLS, 3, 9000 },
		     { NVX_SET_PIO, 6, 20000 },	   { NVX_SET_MMIO, 6, 20000 },
		     { NVX_SET_CHAINS, 10, 400000 }, { NVX_SET_CELLS, 50, 700000 },
		     { NVX_SET_IPIS, 5, 60000 },   { NVX_SET_TLB, 8, 300000 },
		     { NVX_SET_FLUSHES, 2, 400000 }, { NVX_SET_TIME, 9, 9000000 } };
	struct nvx_rows *rows = nvx_rows__new();

	for (size_t i = 0; i < ARRAY_SIZE(have); i++)
		for (unsigned int k = 0; k < have[i].rows; k++)
			busy_row(rows, have[i].set, k, have[i].rate);
	return rows;
}

/* Ten minutes of a busy VM of 64 vCPUs stay below 1 MB. */
static void ten_minutes_are_small(void **state)
{
	struct nvx_session_end e = { .duration_ns = 600000000000ULL, .nr_vcpus = 64 };
	struct nvx_session_head h = head;
	struct nvx_session_writer *w;
	struct file *f = *state;
	char err[NVX_SESSION_ERR];
	uint64_t bytes;

	assert_int_equal(nvx_session_writer__open(f->path, true, &h, &w, err), 0);
	assert_int_equal(nvx_session_writer__vm(w, &fixture_svm, NULL), 0);
	for (unsigned int i = 1; i <= 600; i++) {
		struct nvx_session_delta d = { .t_ns = i * 1000000000ULL + noise() % 100000,
					       .duration_ns = about(1000000000) };

		d.rows = busy_rows();
		assert_int_equal(nvx_session_writer__delta(w, &d), 0);
		nvx_session_delta__free(&d);
	}
	e.vcpu = calloc(64, sizeof(*e.vcpu));
	for (unsigned int i = 0; i < 64; i++) {
		e.vcpu[i].vcpu = i;
		e.vcpu[i].rows = nvx_rows__new();
		for (unsigned int k = 0; k < 40; k++)
			busy_row(e.vcpu[i].rows, NVX_SET_EXITS, k, 8000000);
	}
	e.rows = busy_rows();
	assert_int_equal(nvx_session_writer__end(w, &e), 0);
	bytes = nvx_session_writer__bytes(w);
	nvx_session_writer__close(w);
	nvx_session_end__free(&e);
	print_message("# ten minutes: %llu bytes\n", (unsigned long long)bytes);
	assert_true(bytes < 1000000);
	assert_true(bytes > 100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(written_is_read, setup, teardown),
		cmocka_unit_test_setup_teardown(without_end, setup, teardown),
		cmocka_unit_test_setup_teardown(cut_anywhere, setup, teardown),
		cmocka_unit_test_setup_teardown(flipped_anywhere, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_no_session, setup, teardown),
		cmocka_unit_test_setup_teardown(ten_minutes_are_small, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
