import type { Usage } from "./usage.js";

/** Tells the measuring process the port, then answers its questions until it hangs up. */
export function reportTo(port: number): void {
  process.on("message", (question) => {
    if (question === "cpu") {
      const { user, system } = process.cpuUsage();
      send({ cpuMicroseconds: user + system });
    }
    if (question === "memory") {
      globalThis.gc?.();
      send({ rssBytes: process.memoryUsage().rss });
    }
  });
  process.once("disconnect", () => process.exit(0));
  send({ port });
}

function send(usage: Usage): void {
  process.send?.(usage);
}
