import { setTimeout as sleep } from "node:timers/promises";
import type { Received, Sent } from "./client.js";

/** Whether a job comes to its end before the process that does it dies. */
export async function endedAlive(send: (sent: Sent) => Promise<Received>, target: string, isDead: () => boolean): Promise<boolean> {
  while (!isDead()) {
    const { status } = (await send({ target })).json;
    if (status === "completed" || status === "failed") return !isDead();
    await sleep(1);
  }
  return false;
}
