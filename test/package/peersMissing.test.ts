import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { Consumer } from "./consumer.js";

const service = `
import { createService, defineResource } from "restwright";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { z } from "zod";
const notes = defineResource("notes", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } });
const start = (more) => createService({ resources: [notes], storage: memoryStorage(), logger: false, ...more }).start();
`;

interface Program {
  readonly imports: string;
  readonly body: string;
  /** What its error says without the package. */
  readonly sentence: string;
}

/** Programs that need the packages. */
const programs: Readonly<Record<string, Program>> = {
  "@opentelemetry/api": {
    imports: `import { openTelemetry } from "restwright/opentelemetry";`,
    body: `await start({ use: [openTelemetry()] });`,
    sentence: "openTelemetry needs the package @opentelemetry/api, which is not installed. Run: npm install @opentelemetry/api@1",
  },
  "better-sqlite3": {
    imports: `import { sqliteStorage } from "restwright/sqlite";`,
    body: `await start({ storage: sqliteStorage({ path: ":memory:", driver: "better-sqlite3" }) });`,
    sentence: "No SQLite driver was found. Run: npm install better-sqlite3, or where it can neither be downloaded nor compiled: npm install libsql.",
  },
  "fast-xml-parser": {
    imports: `import { formats } from "restwright/formats"; import { xml } from "restwright/xml";`,
    body: `await start({ use: [formats({ use: [xml()] })] });`,
    sentence: "xml needs the package fast-xml-parser, which is not installed. Run: npm install fast-xml-parser@5",
  },
  jose: {
    imports: `import { bearerJwt } from "restwright/jwt";`,
    body: `await start({ auth: [bearerJwt({ jwks: "https://id.example/keys", issuer: "https://id.example", audience: "api" })] });`,
    sentence: "bearerJwt needs the package jose, which is not installed. Run: npm install jose@6",
  },
  libsql: {
    imports: `import { sqliteStorage } from "restwright/sqlite";`,
    body: `await start({ storage: sqliteStorage({ path: ":memory:", driver: "libsql" }) });`,
    sentence: 'The SQLite driver "libsql" cannot be loaded. Run: npm install libsql.',
  },
  pg: {
    imports: `import { postgresStorage } from "restwright/postgres";`,
    body: `await start({ storage: postgresStorage({ connectionString: "postgres://127.0.0.1:1/none" }), secrets: ["a secret of 32 characters, or more"] });`,
    sentence: "A connectionString needs the package pg, which is not installed. Run: npm install pg@8",
  },
  saxes: {
    imports: `import { sanitizeSvg } from "restwright/checks";`,
    body: `await sanitizeSvg(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"));`,
    sentence: "sanitizeSvg needs the package saxes, which is not installed. Run: npm install saxes@6",
  },
  "swagger-ui-dist": {
    imports: `import { docs } from "restwright/docs"; import { openapi } from "restwright/openapi";`,
    body: `await start({ use: [openapi({ info: { title: "Notes", version: "1" } }), docs({ ui: "swagger" })] });`,
    sentence: `docs: "ui" is "swagger", which needs the package swagger-ui-dist. Run: npm install swagger-ui-dist@^5.32`,
  },
  undici: {
    imports: `import { undiciTransport } from "restwright/undici"; import { webhooks } from "restwright/webhooks";`,
    body: `await start({ use: [webhooks({ transport: undiciTransport() })] });`,
    sentence: "undiciTransport needs the package undici, which is not installed. Run: npm install undici@7",
  },
};

/** The program itself imports these, and hands over what it has made with them: its own import fails first. */
const handedOver = ["fastify", "hono", "@hono/node-server", "ioredis", "zod"];

test("Every peer is one that a program hands over, or has a sentence for its absence, with a version that the peer allows", () => {
  expect([...Object.keys(programs), ...handedOver].toSorted()).toEqual(Object.keys(manifest.peerDependencies).toSorted());
  for (const [name, { sentence }] of Object.entries(programs)) {
    const [, version] = sentence.split(`npm install ${name}@`);
    if (version !== undefined)
      expect(manifest.peerDependencies[name as keyof typeof manifest.peerDependencies]).toMatch(new RegExp(`\\D${version.replace(/^\^/, "")}\\b`));
  }
});

describe("Without its package", () => {
  const consumer = new Consumer("module");
  beforeAll(() => consumer.install([inject("tarball"), "zod"]));
  afterAll(() => consumer.remove());

  test.each(Object.entries(programs))("%s, a program that needs it says what to install", async (_, { imports, body, sentence }) => {
    consumer.write("main.js", `${imports}${service}try { ${body} } catch (error) { console.log(error.message); } process.exit();`);
    expect(await consumer.run(process.execPath, ["main.js"])).toContain(sentence);
  });

  test("hono, the import of the adapter names it", async () => {
    consumer.write("hono.js", `import "restwright/hono";`);
    await expect(consumer.run(process.execPath, ["hono.js"])).rejects.toThrow("Cannot find package 'hono'");
  });
});
