import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { Consumer } from "./consumer.js";

/** `>=8.11` → `8.11.0`: the lowest version that a range allows. */
function lowestOf(range: string): string {
  const parts = /\d[\d.]*/.exec(range)?.[0].split(".") ?? [];
  return [...parts, "0", "0"].slice(0, 3).join(".");
}

const { "better-sqlite3": betterSqlite3, "@hono/node-server": nodeServer, ...others } = manifest.peerDependencies;
const lowest = Object.entries(others).map(([name, range]) => `${name}@${lowestOf(range)}`);

/** Frameworks that the adapters know by their shape only, and so have no range. */
const shapes = ["express@4.18.0", "koa@2.13.0", "koa-mount@4.0.0"];

/** The lowest, the last one that sends a Content-Length of its own beside that of the answer, and the next major. */
const nodeServers = [lowestOf(nodeServer), "1.19.10", "2.0.0"];

const program = (name: string) => readFileSync(new URL(`peers/${name}.js`, import.meta.url), "utf8");
const certificates = fileURLToPath(new URL("../capabilities/webhooks/transport/fixtures", import.meta.url));

function consumerOf(programs: readonly string[]): Consumer {
  const consumer = new Consumer("module");
  for (const name of programs) consumer.write(`${name}.js`, program(name));
  return consumer;
}

describe("With the lowest version of each peer", () => {
  const consumer = consumerOf(["host", "store", "delivery", "parts"]);
  const run = (...words: readonly string[]) => consumer.run(process.execPath, words);
  beforeAll(() =>
    consumer.install([
      inject("tarball"),
      ...lowest,
      ...shapes,
      ...nodeServers.map((version) => `node-server-${version}@npm:@hono/node-server@${version}`),
    ]),
  );
  afterAll(() => consumer.remove());

  test.each(["fastify", "express", "koa"])("%s serves rows, an export and a file", async (host) => {
    expect(await run("host.js", host)).toBe("served");
  });

  test.each(nodeServers)("hono on @hono/node-server %s serves rows, an export and a file, with one Content-Length each", async (version) => {
    expect(await run("host.js", "hono", `node-server-${version}`)).toBe("served");
  });

  test("libsql stores rows", async () => {
    expect(await run("store.js", "libsql")).toBe("stored");
  });

  test.skipIf(process.env["POSTGRES_URL"] === undefined)("pg stores rows (needs POSTGRES_URL)", async () => {
    expect(await run("store.js", "pg")).toBe("stored");
  });

  test("undici delivers a webhook", async () => {
    expect(await run("delivery.js", certificates)).toBe("delivered");
  });

  test("jose, saxes, fast-xml-parser, swagger-ui-dist, @opentelemetry/api, and ioredis if REDIS_URL is set, do their part", async () => {
    expect(await run("parts.js")).toBe(process.env["REDIS_URL"] === undefined ? "used without Redis" : "used with Redis");
  });
});

// Its binary is downloaded or built when it is installed, which not every machine can do.
test.skipIf(process.env["SQLITE_DRIVER"] !== "better-sqlite3")(
  "The lowest better-sqlite3 stores rows (needs SQLITE_DRIVER=better-sqlite3)",
  async () => {
    const consumer = consumerOf(["store"]);
    try {
      await consumer.install([inject("tarball"), "zod", `better-sqlite3@${lowestOf(betterSqlite3)}`]);
      expect(await consumer.run(process.execPath, ["store.js", "better-sqlite3"])).toBe("stored");
    } finally {
      consumer.remove();
    }
  },
);

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

test.skipIf(major < 22 || (major === 22 && minor < 19))("The lowest undici 8 delivers a webhook (needs Node.js 22.19)", async () => {
  const consumer = consumerOf(["delivery"]);
  try {
    await consumer.install([inject("tarball"), "zod", "undici@8.0.0"]);
    expect(await consumer.run(process.execPath, ["delivery.js", certificates])).toBe("delivered");
  } finally {
    consumer.remove();
  }
});
