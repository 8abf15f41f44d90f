// @long

import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { failToStartShop, hosts } from "./shopProcess.js";

test("settings that cannot work stop the start with one clear line", async () => {
  const cases: [Record<string, string>, string[], RegExp][] = [
    [{ PORT: "http" }, [], /PORT must be a number/],
    [{ BASE_PATH: "v1" }, [], /BASE_PATH must be a path/],
    [{ SHOP_AUTH: "yes" }, [], /SHOP_AUTH must be "on" or "off"/],
    [{ RATE_LIMIT: "-1" }, [], /RATE_LIMIT must be a whole number from 0 to 1000000/],
    [{ TRUSTED_HOPS: "many" }, [], /TRUSTED_HOPS must be a whole number from 0 to 16/],
    [{ SHOP_JWT_SECRET: "too short" }, [], /SHOP_JWT_SECRET must have at least 32 bytes/],
    [{ LOG_LEVEL: "loud" }, [], /LOG_LEVEL must be one of trace/],
    [{ OPENAPI_FILTERS: "none" }, [], /OPENAPI_FILTERS must be deep or flat/],
    [{ DATABASE_URL: "nonsense" }, [], /DATABASE_URL must be a URL/],
    [{}, ["--host", "toString"], /--host must be one of/],
    [{}, ["--host", "rails"], /--host must be one of express, fastify, hono, koa/],
  ];
  const check = async ([environment, args, message]: (typeof cases)[number]) => {
    const { code, stderr } = await failToStartShop({ DATA_DIR: ":memory:", ...environment }, args);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  };
  // Two processes at a time: one alone leaves cores idle while it starts.
  const half = cases.length / 2;
  const checkInTurn = async (some: typeof cases) => {
    for (const each of some) await check(each);
  };
  await Promise.all([checkInTurn(cases.slice(0, half)), checkInTurn(cases.slice(half))]);
});

test.each(hosts)("a port that another program uses stops the start on %s, with a line that says what to do", async (host) => {
  const other = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void other.close());
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  expect(await failToStartShop({ DATA_DIR: ":memory:", PORT: String(port) }, ["--host", host])).toEqual({
    code: 1,
    stderr: `restwright shop cannot start: another program listens on 127.0.0.1:${port}. Stop it, or choose another port: PORT=${port === 65_535 ? port - 1 : port + 1} npm start\n`,
  });
});
