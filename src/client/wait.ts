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

/** What `Retry-After` says, in milliseconds: a number of seconds, or a date. */
export function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get("retry-after");
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  // A text that is no date is not a number.
  if (ms <= 0) return 0;
  return ms || undefined;
}
