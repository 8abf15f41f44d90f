/** The value of a promise, or the reason of the signal as soon as it aborts. */
export async function unlessAborted<T>(signal: AbortSignal | undefined, promise: T | Promise<T>): Promise<T> {
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal?.reason);
    signal?.throwIfAborted();
    signal?.addEventListener("abort", abort);
  });
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

/** The longest time of a timer: longer ones end at once. */
export const maxTimerMs = 2 ** 31 - 1;

/** Waits, or rejects as soon as the signal aborts. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const slept = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, maxTimerMs));
  });
  return unlessAborted(signal, slept).finally(() => clearTimeout(timer));
}
