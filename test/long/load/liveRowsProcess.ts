import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { nodeHandler } from "restwright/node";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { liveService } from "../../capabilities/live/liveService.js";
import { type RandomWriter, writeAtRandom } from "../../capabilities/live/randomWrites.js";
import { randomOf } from "../../fuzz/random.js";

/** What a process is told to write. */
export interface LiveWork extends Pick<RandomWriter, "owners" | "count" | "pauseMs"> {
  readonly writers: number;
  readonly seed: number;
}

/** What a process tells: its address; that it has written all; or why not. */
export type LiveTold = { readonly url: string } | { readonly written: true } | { readonly failure: string };

// A process that serves streams, and writes when it is told to.
const { database, store } = JSON.parse(process.argv[2] ?? "") as { readonly database: string; readonly store: string };
const service = liveService({
  storage: store === "sqlite" ? sqliteStorage({ path: database }) : postgresStorage({ connectionString: database }),
  live: { maxStreams: { principal: 100 } },
});
await service.start();
const tell = (told: LiveTold) => process.send?.(told);

process.on("message", ({ writers, seed, ...work }: LiveWork) => {
  const write = (writer: number) =>
    writeAtRandom({ ...work, services: [service], random: randomOf(1_000 * seed + writer), name: `${process.pid}-${writer}` });
  Promise.all(Array.from({ length: writers }, (_, writer) => write(writer))).then(
    () => tell({ written: true }),
    (error: unknown) => tell({ failure: String(error) }),
  );
});
process.on("disconnect", () => process.exit());

const server = createServer(nodeHandler(service)).listen(0, "127.0.0.1", () => {
  tell({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
