import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { parseArgs, promisify } from "node:util";
import { buildServers } from "../tools/build.js";
import { Connection } from "../tools/connection.js";
import { runLoad } from "../tools/load.js";
import { requestText } from "../tools/message.js";
import { Server } from "../tools/server.js";
import { type Host, hosts } from "../tools/serverOptions.js";
import { median } from "../tools/statistics.js";
import { type Content, contents } from "./contents.js";

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

const dist = new URL("../../dist/", import.meta.url).href;

/** What a process does whose cost is measured. The files are those that `npm run build` makes, as users install them. */
const imports = {
  Node: "",
  zod: `await import("zod");`,
  restwright: `await import("${dist}index.js");`,
  "a service in memory": `
    const [{ z }, { createService, defineResource }, { memoryStorage }] = await Promise.all([import("zod"), import("${dist}index.js"), import("${dist}memory.js")]);
    const users = defineResource("users", { schema: z.object({ id: z.int(), name: z.string() }), generated: { id: "increment" } });
    createService({ resources: [users], storage: memoryStorage() });`,
} as const;
const importBarMs = 40;
const importBarMegabytes = 8;

interface ImportCost {
  /** CPU time of the process, user and system together. */
  readonly cpuMs: number;
  /** Resident after a garbage collection. */
  readonly megabytes: number;
}

async function importOnce(program: string): Promise<ImportCost> {
  const measured = `${program} globalThis.gc(); const { user, system } = process.cpuUsage();
    console.log(JSON.stringify({ cpuMs: (user + system) / 1e3, megabytes: process.memoryUsage().rss / 2 ** 20 }));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", "--input-type=module", "--eval", measured]);
  return JSON.parse(stdout) as ImportCost;
}

async function raceImports(rounds: number): Promise<void> {
  const costs = new Map<string, ImportCost[]>(Object.keys(imports).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, program] of Object.entries(imports)) costs.get(name)?.push(await importOnce(program));
  }
  const middle = (name: keyof typeof imports, part: keyof ImportCost) => median((costs.get(name) ?? []).map((cost) => cost[part]));
  console.log(`| | CPU time | over zod | bar | memory | over zod | bar |`);
  console.log("|---|---|---|---|---|---|---|");
  for (const name of Object.keys(imports) as (keyof typeof imports)[]) {
    const [ms, megabytes] = [middle(name, "cpuMs"), middle(name, "megabytes")];
    const cells =
      name === "Node" || name === "zod"
        ? [`${ms.toFixed(0)} ms`, "", "", `${megabytes.toFixed(1)} MB`, "", ""]
        : [
            `${ms.toFixed(0)} ms`,
            `+${(ms - middle("zod", "cpuMs")).toFixed(0)} ms`,
            `+${importBarMs} ms`,
            `${megabytes.toFixed(1)} MB`,
            `+${(megabytes - middle("zod", "megabytes")).toFixed(1)} MB`,
            `+${importBarMegabytes} MB`,
          ];
    console.log(`| ${[name, ...cells].join(" | ")} |`);
  }
  console.log();
}

const { values } = parseArgs({ options: { rounds: { type: "string", default: "11" } } });
if (!existsSync(new URL(`${dist}index.js`))) throw new Error("Run npm run build first: the first table measures what it makes.");
await raceImports(Number(values.rounds));

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
