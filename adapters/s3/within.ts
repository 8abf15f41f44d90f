/**
 * What `work` comes to, unless the controller is aborted first, as it is when nothing has come of it after `timeoutMs`.
 *
 * @throws the reason of the abort
 */
export async function within<R>(timeoutMs: number, controller: AbortController, work: Promise<R>): Promise<R> {
  const { signal } = controller;
  const timer = setTimeout(() => controller.abort(new Error(`no answer has come for ${timeoutMs} ms`)), timeoutMs);
  timer.unref();
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
