import { parseArgs } from "node:util";
import { buildPrograms } from "../tools/build.js";
import { Connection } from "../tools/connection.js";
import { runLoad } from "../tools/load.js";
import { describeRun } from "../tools/report.js";
import { Server } from "../tools/server.js";
import { summarize } from "../tools/statistics.js";
import { wholeNumber } from "../tools/wholeNumber.js";
import { type Entrant, path } from "./entrants.js";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "9" },
    requests: { type: "string", default: "2000" },
    only: { type: "string", default: "" },
  },
});
const rounds = wholeNumber("rounds", values.rounds);
const requests = wholeNumber("requests", values.requests);
const warmUpRounds = 2;

/** Each contest: a host and a coding. The compressor of Hono has no Brotli. */
const contests = (["express", "fastify", "hono"] as const)
  .flatMap((host) => (host === "hono" ? ["gzip"] : ["br", "gzip"]).map((coding) => ({ host, coding })))
  .filter(({ host, coding }) => `${host} ${coding}`.includes(values.only));
const sides = ["restwright", "host", "nobody"] as const;

async function cpuPerRequest(server: Server, coding: string): Promise<number> {
  const text = `GET ${path} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: ${coding}\r\n\r\n`;
  const before = await server.cpuMicroseconds();
  await runLoad({ port: server.port, requests, status: 200, next: () => text });
  return ((await server.cpuMicroseconds()) - before) / requests;
}

/** Both must compress in the same coding; otherwise there is nothing to compare. @returns bytes of the body */
async function lengthOf(server: Server, coding: string, by: Entrant["by"]): Promise<number> {
  const connection = await Connection.open(server.port);
  const { head, body } = await connection.send(`GET ${path} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: ${coding}\r\n\r\n`);
  connection.close();
  const got = /\r\ncontent-encoding: *(\S+)/i.exec(head)?.[1];
  if (got !== (by === "nobody" ? undefined : coding)) throw new Error(`"${by}" answered in ${got ?? "no coding"} for ${coding}.`);
  return body.length;
}

const { server: program } = await buildPrograms("compressionServers", { server: "bench/compression/server.ts" });

async function contest({ host, coding }: (typeof contests)[number]): Promise<void> {
  const servers = await Promise.all(sides.map((by) => Server.start(program, [host, by])));
  try {
    const lengths = await Promise.all(servers.map((server, index) => lengthOf(server, coding, sides[index] ?? "nobody")));
    const figures: number[][] = sides.map(() => []);
    for (let round = -warmUpRounds; round < rounds; round++) {
      for (const [index, server] of servers.entries()) {
        const figure = await cpuPerRequest(server, coding);
        if (round >= 0) figures[index]?.push(figure);
      }
    }
    for (const [index, by] of sides.entries()) {
      const { median, minimum, maximum } = summarize(figures[index] ?? []);
      console.log(
        `${host} ${coding}  ${by.padEnd(10)} ${median.toFixed(0)} µs (${minimum.toFixed(0)} to ${maximum.toFixed(0)}), ${lengths[index]} bytes`,
      );
    }
    const ratio = summarize((figures[0] ?? []).map((figure, round) => figure / (figures[1]?.[round] ?? Number.NaN)));
    const verdict = ratio.median <= 1 ? "ok" : "MISSED";
    console.log(
      `${host} ${coding}  restwright / host: ×${ratio.median.toFixed(2)} (${ratio.minimum.toFixed(2)} to ${ratio.maximum.toFixed(2)}), bar ×1: ${verdict}\n`,
    );
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

for (const each of contests) await contest(each);
const { date, node, machine } = describeRun(new Date());
console.log(`${date}, Node ${node}, ${machine}.`);
