import { type Capability, createService, defineResource, type HttpRequest } from "restwright";
import { cache } from "restwright/cache";
import { compression } from "restwright/compression";
import { csv, formats, ndjson } from "restwright/formats";
import { languages } from "restwright/languages";
import { memoryStorage } from "restwright/memory";
import { rename, versions } from "restwright/versions";
import { z } from "zod";
import { summarize } from "../tools/statistics.js";

/**
 * What one read of a row costs more with each capability that decides how an answer looks, for requests that use it and for those that do not. All of them are measured
 * in turn, round by round. Run with `npx tsx bench/capabilities/representation.ts`.
 */
const rounds = 11;
const requests = 10_000;

const schema = z.object({ id: z.int(), name: z.string() });
const generated = { id: "increment" } as const;
const things = defineResource("things", { schema, generated });
const versioned = defineResource("things", { schema, generated, versions: { v2: [rename({ from: "name", to: "title", type: z.string() })] } });
const kept = defineResource("things", { schema, generated, cache: { private: true, maxAge: 60 } });

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";
const twoVersions = () => versions({ vendor: "acme", schema: "v1", default: "v1", supported: { v1: {}, v2: {} } });

interface Entrant {
  readonly name: string;
  readonly resource?: typeof things;
  readonly use?: readonly Capability[];
  readonly headers?: readonly string[];
}

const plain = "nothing";
const entrants: readonly Entrant[] = [
  { name: plain },
  { name: "formats(), no Accept", use: [formats({ use: [csv(), ndjson()] })] },
  { name: "formats(), Accept of a browser", use: [formats({ use: [csv(), ndjson()] })], headers: ["accept", browser] },
  { name: "versions(), no version", resource: versioned, use: [twoVersions()] },
  { name: "versions(), X-API-Version: v1", resource: versioned, use: [twoVersions()], headers: ["x-api-version", "v1"] },
  { name: "versions(), Accept: …v1+json", resource: versioned, use: [twoVersions()], headers: ["accept", "application/vnd.acme.v1+json"] },
  {
    name: "versions(), Accept: …v2+json, a renamed member",
    resource: versioned,
    use: [twoVersions()],
    headers: ["accept", "application/vnd.acme.v2+json"],
  },
  { name: "cache(), a rule", resource: kept, use: [cache()] },
  { name: "compression(), no Accept-Encoding", use: [compression()] },
  { name: "compression(), an answer that is too short", use: [compression()], headers: ["accept-encoding", "gzip, br"] },
  { name: "languages()", use: [languages({})], headers: ["accept-language", "de-AT, de;q=0.9, en;q=0.5"] },
];

const signal = new AbortController().signal;

async function start({ name, resource = things, use = [], headers = [] }: Entrant) {
  const service = createService({ resources: [resource], storage: memoryStorage(), use, logger: false });
  const request: HttpRequest = {
    ...{ method: "GET", path: "/things/1", query: "", mount: "", native: undefined, signal },
    headers: ["host", "api.example", "user-agent", "bench", ...headers],
    body: { kind: "none" },
  };
  const bytes = Buffer.from('{"name":"a"}');
  await service.handle({
    ...request,
    method: "POST",
    path: "/things",
    headers: ["content-type", "application/json"],
    body: { kind: "bytes", bytes },
  });
  const answer = await service.handle(request);
  if (answer?.status !== 200) throw new Error(`${name}: ${answer?.status}.`);
  return { name, service, request, figures: [] as number[] };
}

const running = await Promise.all(entrants.map(start));
for (let round = -3; round < rounds; round++) {
  for (const { service, request, figures } of running) {
    const before = process.cpuUsage();
    for (let index = 0; index < requests; index++) await service.handle(request);
    const { user, system } = process.cpuUsage(before);
    if (round >= 0) figures.push((user + system) / requests);
  }
}
const base = running[0]?.figures ?? [];
for (const { name, service, figures } of running) {
  const more = summarize(figures.map((figure, round) => figure - (base[round] ?? Number.NaN)));
  const { median } = summarize(figures);
  console.log(name === plain ? `${name}: ${median.toFixed(2)} µs` : `${name}: ${median.toFixed(2)} µs, ${more.median.toFixed(2)} more`);
  await service.close();
}
