import { Connection } from "../tools/connection.js";
import type { Posts } from "./posts.js";

/**
 * Gets the first answer of the request that is replayed from then on.
 *
 * @throws {Error} where a key sent again does not get the first answer, or a new key gets another's
 */
export async function requireOnce(port: number, { first, replay }: Posts): Promise<void> {
  const connection = await Connection.open(port);
  try {
    const bodies: string[] = [];
    for (const text of [replay(), replay(), first(), first()]) {
      const { status, head, body } = await connection.send(text);
      if (status !== 201) throw new Error(`Expected 201, got ${status}:\n${head}\n\n${body}`);
      bodies.push(body);
    }
    const [original, replayed, one, other] = bodies;
    if (replayed !== original) throw new Error(`A replay differs from the first answer:\n${original}\n${replayed}`);
    if (new Set([original, one, other]).size !== 3) throw new Error(`New keys did not make new users:\n${one}\n${other}`);
  } finally {
    connection.close();
  }
}
