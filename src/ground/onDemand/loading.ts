let loads = 0;

/** Whether a module that was needed is not there yet. */
export function isLoading(): boolean {
  return loads > 0;
}

/** Counts a load until it has ended. */
export function countLoad<T>(load: Promise<T>): Promise<T> {
  loads += 1;
  return load.finally(() => {
    loads -= 1;
  });
}
