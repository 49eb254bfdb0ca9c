/* sort: loops with data-dependent branches. Quicksort with insertion sort below 12, heap sort, and a Shell sort
   that compares through a function pointer; then binary searches. */
#include "program.h"

#define N 160
#define SMALL 56

static u32 quick_data[N], heap_data[N], shell_data[SMALL];

static void swap(u32 *a, u32 *b) {
    u32 t = *a;
    *a = *b;
    *b = t;
}

static NOINLINE void insertion_sort(u32 *a, int n) {
    for (int i = 1; i < n; i++) {
        u32 v = a[i];
        int j = i;
        for (; j > 0 && a[j - 1] > v; j--)
            a[j] = a[j - 1];
        a[j] = v;
    }
}

static NOINLINE void quick_sort(u32 *a, int n) {
    if (n < 12) {
        insertion_sort(a, n);
        return;
    }
    if (a[n / 2] < a[0]) swap(&a[n / 2], &a[0]);
    if (a[n - 1] < a[0]) swap(&a[n - 1], &a[0]);
    if (a[n - 1] < a[n / 2]) swap(&a[n - 1], &a[n / 2]);
    u32 pivot = a[n / 2];
    int i = 0, j = n - 1;
    while (i <= j) {
        while (a[i] < pivot) i++;
        while (a[j] > pivot) j--;
        if (i <= j) swap(&a[i++], &a[j--]);
    }
    quick_sort(a, j + 1);
    quick_sort(a + i, n - i);
}

static void sift_down(u32 *a, int root, int n) {
    for (int child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && a[child + 1] > a[child]) child++;
        if (a[root] >= a[child]) return;
        swap(&a[root], &a[child]);
    }
}

static NOINLINE void heap_sort(u32 *a, int n) {
    for (int i = n / 2 - 1; i >= 0; i--)
        sift_down(a, i, n);
    for (int end = n - 1; end > 0; end--) {
        swap(&a[0], &a[end]);
        sift_down(a, 0, end);
    }
}

typedef int (*compare_fn)(u32, u32);

static int ascending(u32 a, u32 b) { return a < b ? -1 : a > b; }
static int descending(u32 a, u32 b) { return ascending(b, a); }
static int by_low_byte(u32 a, u32 b) {
    return (a & 255) != (b & 255) ? (int)(a & 255) - (int)(b & 255) : ascending(a, b);
}

static NOINLINE void shell_sort(u32 *a, int n, compare_fn compare) {
    for (int gap = n / 2; gap > 0; gap /= 2)
        for (int i = gap; i < n; i++)
            for (int j = i - gap; j >= 0 && compare(a[j], a[j + gap]) > 0; j -= gap)
                swap(&a[j], &a[j + gap]);
}

static NOINLINE int position(const u32 *a, int n, u32 key) {
    int low = 0, high = n;
    while (low < high) {
        int mid = (low + high) / 2;
        if (a[mid] < key) low = mid + 1;
        else high = mid;
    }
    return low;
}

static compare_fn const compares[] = {ascending, descending, by_low_byte};

u32 program(void) {
    u32 h = MIX_SEED, state = 1;
    for (int i = 0; i < N; i++)
        quick_data[i] = heap_data[i] = next_random(&state);
    quick_sort(quick_data, N);
    for (int i = 0; i < N; i++)
        heap_data[i] ^= 0x5a5a5a;
    heap_sort(heap_data, N);
    for (int i = 0; i < N; i++)
        h = mix(mix(h, quick_data[i]), heap_data[i]);
    for (u32 c = 0; c < COUNT(compares); c++) {
        for (int i = 0; i < SMALL; i++)
            shell_data[i] = next_random(&state);
        shell_sort(shell_data, SMALL, compares[c]);
        for (int i = 0; i < SMALL; i++)
            h = mix(h, shell_data[i]);
    }
    for (int i = 0; i < 32; i++)
        h = mix(h, position(quick_data, N, next_random(&state)));
    return h;
}
