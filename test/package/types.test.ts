import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { Consumer } from "./consumer.js";

/** Every entry but Hono's, whose own declarations need TypeScript 5.7. No types of Express or Koa are installed. */
const program = `
import { createService, defineResource, ProblemError, type ResourceRow, type Storage } from "restwright";
import { batch } from "restwright/batch";
import { checkFile } from "restwright/checks";
import { expressHandler } from "restwright/express";
import { fastifyPlugin } from "restwright/fastify";
import { fetchHandler } from "restwright/fetch";
import { jobs } from "restwright/jobs";
import { koaMiddleware } from "restwright/koa";
import { memoryStorage } from "restwright/memory";
import { nodeHandler } from "restwright/node";
import { postgresStorage } from "restwright/postgres";
import { sqlStorage } from "restwright/sql";
import { sqliteStorage } from "restwright/sqlite";
import { FakeClock, storageContract } from "restwright/testing";
import { transfer } from "restwright/transfer";
import { undiciTransport } from "restwright/undici";
import { receiveForm } from "restwright/uploads";
import { verifyWebhook, type WebhookEvent, webhooks } from "restwright/webhooks";
import { z } from "zod";

const users = defineResource("users", {
  schema: z.object({ id: z.int(), name: z.string(), createdAt: z.date() }),
  generated: { id: "increment", createdAt: "createdAt" },
  unique: ["name"],
  events: { "user.created": { on: "create", data: ({ id, name }) => ({ userId: id, name }) } },
});
export const row: ResourceRow<typeof users> = { id: 1, name: "Ada", createdAt: new Date(0) };
// @ts-expect-error An id that is declared as an integer is not a string.
export const wrong: ResourceRow<typeof users>["id"] = "1";
// @ts-expect-error Only fields of the schema can be unique.
defineResource("posts", { schema: z.object({ id: z.int() }), unique: ["slug"] });

const storages: readonly (() => Storage)[] = [memoryStorage, () => sqliteStorage({ path: "data.db" }), () => postgresStorage({ connectionString: "" })];
const service = createService({ resources: [users], storage: memoryStorage(), use: [webhooks({ transport: undiciTransport(), events: ["report.ready"] }), jobs(), batch(), transfer()] });
export const emitted: Promise<string> = service.emit({ type: "report.ready", data: {} });
export const event: WebhookEvent = verifyWebhook({ headers: new Headers(), rawBody: "{}", secrets: ["a secret between us"] });
export const handlers = [expressHandler, fastifyPlugin, fetchHandler, koaMiddleware, nodeHandler].map((handler) => handler(service));
export const others = [checkFile, receiveForm, storages, sqlStorage, FakeClock, storageContract, ProblemError];
export class ShopError extends ProblemError {}
export const codeOf = (error: unknown) => (error instanceof ProblemError ? error.code : undefined);
`;

const hono = `
import { Hono } from "hono";
import { createService } from "restwright";
import { honoHandler } from "restwright/hono";
import { memoryStorage } from "restwright/memory";
export const app = new Hono().use("/v1/*", honoHandler(createService({ resources: [], storage: memoryStorage() })));
`;

const esm = ["nodenext", "bundler"] as const;
const commonJs = ["node16", "nodenext"] as const;

describe.each([
  { version: "5.5", type: "module", resolutions: esm },
  { version: "5.9", type: "module", resolutions: esm },
  { version: "5.4", type: "commonjs", resolutions: commonJs },
  { version: "5.9", type: "commonjs", resolutions: commonJs },
] as const)("A consumer of type $type on TypeScript $version", ({ version, type, resolutions }) => {
  const consumer = new Consumer(type);
  beforeAll(async () => {
    consumer.write("program.ts", program);
    consumer.write("hono.ts", hono);
    await consumer.install([inject("tarball"), "zod", "fastify", "hono", "undici", "@types/node", `typescript@~${version}.0`]);
  });
  afterAll(() => consumer.remove());

  const check = (file: string, resolution: string, checkLibraries: boolean) => {
    const module = resolution === "bundler" ? "esnext" : resolution;
    const target = ["--target", "es2022", "--types", "node", "--module", module, "--moduleResolution", resolution];
    return consumer.run(process.execPath, [
      "node_modules/typescript/bin/tsc",
      "--noEmit",
      "--strict",
      "--skipLibCheck",
      String(!checkLibraries),
      ...target,
      file,
    ]);
  };

  test.each(resolutions)("checks every declaration with the resolution %s", async (resolution) => {
    expect(await check("program.ts", resolution, true)).toBe("");
  });

  test.each(resolutions)("uses the handler for Hono with the resolution %s", async (resolution) => {
    expect(await check("hono.ts", resolution, version === "5.9")).toBe("");
  });
});
