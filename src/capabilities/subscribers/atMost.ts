import type { Timer, Timers } from "../../ground/http/timers.js";

/** How long a storage that does not answer is waited for at the end, in milliseconds. */
export const lastMs = 1_000;

/** Waits for work, at most so many milliseconds. */
export async function atMost(ms: number, work: Promise<unknown>, timers: Timers): Promise<void> {
  let timer: Timer | undefined;
  const over = new Promise<void>((resolve) => {
    timer = timers.setTimeout(resolve, ms);
  });
  await Promise.race([work, over]);
  timer?.cancel();
}
