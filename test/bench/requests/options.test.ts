import { expect, test } from "vitest";
import { readRunOptions } from "../../../bench/requests/options.js";

const namesOf = (args: readonly string[], hasPostgres = true) => readRunOptions(args, hasPostgres).pairs.map((pair) => pair.join("/"));

test("a run without options has all pairs and workloads, 16 connections, and keeps latencies", () => {
  const options = readRunOptions([], true);
  expect(options).toMatchObject({ rounds: 5, requests: 3000, connections: 16, json: undefined, busy: false });
  expect(options.workloads.map(({ name }) => name)).toEqual(["get", "304", "list20", "list100", "cursor20", "post", "patch"]);
  expect(namesOf([])).toEqual(["fastify/memory", "express/memory", "hono/memory", "koa/memory", "fastify/sqlite", "fastify/postgres"]);
});

test("pairs on PostgreSQL are left out without a server", () => {
  expect(namesOf(["--only", "fastify"], false)).toEqual(["fastify/memory", "fastify/sqlite"]);
});

test("options choose amounts, pairs and workloads", () => {
  const args = ["--rounds", "3", "--requests", "100", "--connections", "64", "--only", "fastify", "--only", "postgres", "--workload", "get"];
  const options = readRunOptions([...args, "--busy", "--json", "run.json"], true);
  expect(options).toMatchObject({ rounds: 3, requests: 100, connections: 64, pairs: [["fastify", "postgres"]], json: "run.json", busy: true });
  expect(options.workloads.map(({ name }) => name)).toEqual(["get"]);
});

test.each([
  [["--connections", "0"], '--connections must be a whole number of at least 1; got "0".'],
  [["--connections", "1.5"], '--connections must be a whole number of at least 1; got "1.5".'],
  [["--only", "mysql"], '--only must be one of fastify, express, hono, koa, memory, sqlite, postgres; got "mysql".'],
  [["--workload", "delete"], "--workload must be one of get, 304, list20, list100, cursor20, post, patch"],
  [["--only", "koa", "--only", "sqlite"], "No pair is left of --only koa --only sqlite"],
  [["--markdown"], "Unknown option '--markdown'"],
])("%j is refused", (args, message) => {
  expect(() => readRunOptions(args, true)).toThrow(message);
});

test("a run of PostgreSQL alone is refused without a server", () => {
  expect(() => readRunOptions(["--only", "postgres"], false)).toThrow("POSTGRES_URL");
});
