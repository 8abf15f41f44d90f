import { METHODS, request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { faultOf } from "../../../../corpora/expectSafe.js";
import { metadataPositions, positionsOf } from "../../../../corpora/positions.js";
import { happyRequest } from "../../../../corpora/requests.js";
import { corporaStage, type WireAnswer, type WireRequest } from "../../../../corpora/stage.js";
import { naughtyStrings } from "../../../../corpora/strings.js";
import { integer, randomOf } from "../../../../fuzz/random.js";
import type { Host, RunningHost } from "../../host.js";

/** How many requests a host gets. */
const samples = 150;

/** A sample of `test/corpora`, over real sockets: what a host makes of naughty strings before the core sees them, and of answers that have them. */
export function naughtyChecks(host: Host): void {
  const stage = corporaStage();
  let running: RunningHost;

  beforeAll(async () => {
    running = await host.start(stage.service.handle, { mount: "" });
  });
  afterAll(async () => {
    await running.close();
    await stage.service.close();
  });

  it("answers naughty strings at every kind of position, and serves the next request", async () => {
    const random = randomOf(20_261_124);
    const pick = <T>(all: readonly T[]) => all[integer(random, all.length)];
    const faults: string[] = [];
    // Node itself refuses QUERY before 20.20.
    const operations = stage.operations.filter(({ operation }) => METHODS.includes(operation.method));
    let answered = 0;
    for (let sample = 0; sample < samples; sample += 1) {
      const routed = pick(operations);
      if (routed === undefined) continue;
      const happy = await happyRequest(stage, routed);
      const position = pick([...positionsOf(happy, routed), ...metadataPositions(happy)]);
      const text = pick(naughtyStrings) ?? "";
      const sent = position?.place(text);
      const answer = sent === undefined || !canBeSent(sent) ? undefined : await send(running.port, sent);
      if (answer === undefined) continue;
      answered += 1;
      const fault = faultOf(answer);
      if (fault !== undefined) faults.push(`${routed.name}, ${position?.name}, ${JSON.stringify(text)}: ${fault}`);
    }
    expect(faults).toEqual([]);
    expect(answered).toBeGreaterThan(samples / 4);
    const next = await send(running.port, { method: "GET", target: "/people", headers: {} });
    expect(next?.status).toBe(200);
  });
}

/** What Node's client writes, and what does not take over the framing of the message. */
function canBeSent({ target, headers }: WireRequest): boolean {
  const framing = ["content-length", "transfer-encoding", ":authority", "host"];
  const values = Object.entries(headers);
  return /^[\x21-\x7e]*$/.test(target) && values.every(([name, value]) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value) && !framing.includes(name));
}

/** `undefined` if the server ends the connection without an answer of the service, as Node does with what is not HTTP. */
function send(port: number, { method, target, headers, body }: WireRequest): Promise<WireAnswer | undefined> {
  return new Promise((resolve) => {
    const bytes = body === undefined ? undefined : Buffer.from(body);
    const length = bytes === undefined ? {} : { "content-length": String(bytes.length) };
    const outgoing = request({ port, host: "127.0.0.1", path: target, method, headers: { ...headers, ...length }, agent: false });
    outgoing.on("error", () => resolve(undefined));
    outgoing.on("response", async (incoming) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk);
      const { host: _host, connection: _connection, ...rest } = incoming.headers;
      const kept = Object.entries(rest).filter(([, value]) => value !== undefined) as [string, string | string[]][];
      resolve({ status: incoming.statusCode ?? 0, headers: Object.fromEntries(kept), body: Buffer.concat(chunks) });
    });
    outgoing.end(bytes);
  });
}
