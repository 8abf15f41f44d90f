import { Unavailable } from "../../src/storage/errors.js";

/**
 * The answer, if it comes in time: clients keep commands while there is no connection, some of them for ever.
 *
 * @throws {Unavailable} after `timeoutMs`; the command may still be carried out
 */
export async function withinDeadline<R>(answer: Promise<R>, timeoutMs: number): Promise<R> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Unavailable(`Redis has not answered within ${timeoutMs} ms. Check that it runs and can be reached.`)),
      timeoutMs,
    );
    timer.unref();
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
