// Quicksort: partitions the numbers and enqueues one child kernel per part. Counts failed enqueues in `errors`.
void sort(global int *numbers, int begin, int end, global int *errors) {
  if (end - begin <= 64) {
    for (int i = begin + 1; i < end; ++i) {
      int number = numbers[i], at = i;
      for (; at > begin && numbers[at - 1] > number; --at)
        numbers[at] = numbers[at - 1];
      numbers[at] = number;
    }
    return;
  }
  int a = numbers[begin], b = numbers[begin + (end - begin) / 2], c = numbers[end - 1];
  int pivot = max(min(a, b), min(max(a, b), c)), low = begin, high = end - 1;
  while (low <= high) {
    while (numbers[low] < pivot)
      ++low;
    while (numbers[high] > pivot)
      --high;
    if (low <= high) {
      int swapped = numbers[low];
      numbers[low++] = numbers[high];
      numbers[high--] = swapped;
    }
  }
  int last = high + 1, first = low;
  queue_t queue = get_default_queue();
  if (enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ sort(numbers, begin, last, errors); }) ||
      enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ sort(numbers, first, end, errors); }))
    atomic_inc(errors);
}

kernel void quicksort(global int *numbers, int count, global int *errors) { sort(numbers, 0, count, errors); }
