import { defineConfig } from "tsup";

/** The keys are the entries of `exports` and `bin` in package.json; `tsc -p tsconfig.build.json` writes the declarations beside them. */
export default defineConfig({
  entry: {
    index: "src/index.ts",
    query: "src/query/index.ts",
    fields: "src/fields/index.ts",
    patch: "src/patch/index.ts",
    idempotency: "src/idempotency/index.ts",
    batch: "src/batch/index.ts",
    transfer: "src/transfer/index.ts",
    uploads: "src/uploads/index.ts",
    webhooks: "src/webhooks/index.ts",
    testing: "src/testing/index.ts",
    express: "adapters/express.ts",
    fastify: "adapters/fastify.ts",
    hono: "adapters/hono.ts",
    koa: "adapters/koa.ts",
    node: "adapters/node.ts",
    fetch: "adapters/fetch.ts",
    memory: "adapters/memory.ts",
    sql: "adapters/sql.ts",
    sqlite: "adapters/sqlite.ts",
    postgres: "adapters/postgres.ts",
    redis: "adapters/redis.ts",
    disk: "adapters/disk.ts",
    s3: "adapters/s3.ts",
    clamd: "adapters/clamd.ts",
    undici: "adapters/undici.ts",
    // Its first line names the interpreter; no other entry has one.
    cli: "adapters/cli.ts",
  },
  format: "esm",
  target: "node20",
  platform: "node",
  splitting: true,
  treeshake: true,
  clean: true,
  dts: false,
  // `node:sqlite` has no name without its prefix.
  removeNodeProtocol: false,
});
