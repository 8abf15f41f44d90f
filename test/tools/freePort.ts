import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * A port that nobody listens on, for a program that cannot choose one by itself. It is below those that systems give to outgoing connections and to servers that ask for
 * any port: until the program has bound it, no other process is given it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}
