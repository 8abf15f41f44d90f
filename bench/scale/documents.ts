import { createService, defineResource } from "restwright";
import { batch } from "restwright/batch";
import { docs } from "restwright/docs";
import { memoryStorage } from "restwright/memory";
import { openapi } from "restwright/openapi";
import { searches } from "restwright/searches";
import { transfer } from "restwright/transfer";
import { z } from "zod";
import { formatSummary } from "../tools/raceReport.js";
import { summarize } from "../tools/statistics.js";

const rounds = 9;
const resourceCount = 50;
/** Milliseconds for the document of 50 resources. */
const bar = 150;

/** How long the first OpenAPI document of a service takes, and its first page: in a process that has made none before, and in one that has. */
export async function measureDocuments(): Promise<void> {
  const series = new Map<string, number[]>();
  const note = (name: string, took: number) => series.set(name, [...(series.get(name) ?? []), took]);
  for (let round = 0; round < rounds; round++) {
    const service = createService({
      resources: newResources(),
      storage: memoryStorage(),
      logger: false,
      use: [batch(), searches(), transfer({}), openapi({ info: { title: "Scale", version: "1" } }), docs()],
    });
    await service.start();
    const made = await timed(() => service.document());
    note(round === 0 ? "the first document of a process" : "the document of another service", made);
    const page = await timed(async () => (await service.fetch(new Request("http://localhost/docs"))).text());
    note(round === 0 ? "the first page of a process" : "the page of another service", page);
    await service.close();
  }
  console.log(`document and page of ${resourceCount} resources, ms (bar of the document: ${bar})`);
  for (const [name, figures] of series) console.log(`  ${name.padEnd(36)} ${formatSummary(summarize(figures))} ms`);
}

function newResources() {
  return Array.from({ length: resourceCount }, (_, index) => {
    const schema = z.object({
      id: z.int(),
      name: z.string().min(1).max(200),
      email: z.email(),
      kind: z.enum(["small", "large"]).default("small"),
      total: z.number().min(0),
      isOpen: z.boolean().default(true),
      at: z.date(),
      tags: z.array(z.string()).default([]),
      note: z.string().nullable(),
      address: z.object({ city: z.string(), zip: z.string() }).optional(),
      createdAt: z.date(),
    });
    return defineResource(`things${index}`, { schema, generated: { id: "increment", createdAt: "createdAt" } });
  });
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}
