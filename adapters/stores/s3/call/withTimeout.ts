/**
 * The result of `work`, unless the controller is aborted first, or `timeoutMs` pass, which abort it.
 *
 * @throws the reason of the abort
 */
export async function withTimeout<R>(timeoutMs: number, controller: AbortController, work: Promise<R>): Promise<R> {
  const { signal } = controller;
  const timer = setTimeout(() => controller.abort(new Error(`no response for ${timeoutMs} ms`)), timeoutMs);
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
