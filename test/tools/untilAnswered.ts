import { setTimeout as sleep } from "node:timers/promises";
import type { Received } from "./client.js";

/** Sends again and again while an earlier try with the same key still counts as in flight. */
export async function untilAnswered(send: () => Promise<Received>): Promise<Received> {
  for (let tries = 0; ; tries++) {
    const answer = await send();
    if (answer.status !== 409 || answer.json.code !== "IDEMPOTENCY_KEY_IN_FLIGHT" || tries > 200) return answer;
    await sleep(5);
  }
}
