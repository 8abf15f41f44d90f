import { expect, test } from "vitest";
import { barsOf } from "../../../bench/requests/bars.js";

test("there are bars for Fastify with 16 connections, with those of the database for PostgreSQL", () => {
  const key = { host: "fastify", store: "postgres", workload: "cursor20", connections: 16 } as const;
  expect(barsOf(key)).toEqual({ node: 1.05, together: 0.75 });
  expect(barsOf({ ...key, store: "sqlite" })).toEqual({ node: 1, together: undefined });
  const none = { node: undefined, together: undefined };
  expect(barsOf({ ...key, connections: 1 })).toEqual(none);
  expect(barsOf({ ...key, host: "koa", store: "memory" })).toEqual(none);
  expect(barsOf({ ...key, workload: "delete" })).toEqual(none);
});
