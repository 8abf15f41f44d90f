import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { buildServers } from "./build.js";
import { type Content, contents } from "./cold/contents.js";
import { Connection } from "./connection.js";
import { runLoad } from "./load.js";
import { requestText } from "./message.js";
import { Server } from "./server.js";
import { type Host, hosts } from "./serverOptions.js";
import { median } from "./statistics.js";

const get = requestText("GET", "/users/1");
const barMs = 80;
const barMegabytes = 15;

interface Start {
  /** From the spawn of the process to the end of its first answer. */
  readonly ms: number;
  /** Resident after 200 requests and a garbage collection. */
  readonly megabytes: number;
}

async function startOnce(program: string, host: Host, content: Content): Promise<Start> {
  const begin = performance.now();
  const server = await Server.start(program, ["--host", host, "--content", content]);
  const connection = await Connection.open(server.port);
  await connection.send(get);
  const ms = performance.now() - begin;
  connection.close();
  await runLoad({ port: server.port, requests: 200, status: 200, next: () => get });
  const megabytes = (await server.rssBytes()) / 2 ** 20;
  await server.stop();
  return { ms, megabytes };
}

const { values } = parseArgs({ options: { rounds: { type: "string", default: "11" } } });
const { cold } = await buildServers();

console.log("| framework | bare | + zod | + restwright | over bare | of which zod | bar | memory bare | + zod | + restwright | over bare | bar |");
console.log("|---|---|---|---|---|---|---|---|---|---|---|---|");
for (const host of hosts) {
  const starts: Record<Content, Start[]> = { bare: [], zod: [], restwright: [] };
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const content of contents) starts[content].push(await startOnce(cold, host, content));
  }
  const timeOf = (content: Content) => median(starts[content].map(({ ms }) => ms));
  const memoryOf = (content: Content) => median(starts[content].map(({ megabytes }) => megabytes));
  const added = (content: Content) => median(starts[content].map(({ ms }, round) => ms - (starts.bare[round]?.ms ?? ms)));
  const signed = (content: Content) => `${added(content) < 0 ? "" : "+"}${added(content).toFixed(0)} ms`;
  const times = [...contents.map((content) => `${timeOf(content).toFixed(0)} ms`), signed("restwright"), signed("zod"), `+${barMs} ms`];
  const memories = contents.map((content) => `${memoryOf(content).toFixed(1)} MB`);
  const grown = `+${(memoryOf("restwright") - memoryOf("bare")).toFixed(1)} MB`;
  console.log(`| ${[host, ...times, ...memories, grown, `+${barMegabytes} MB`].join(" | ")} |`);
}
