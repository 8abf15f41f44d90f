import { ConfigurationError, createService, type ServiceOptions } from "restwright";
import { bearer } from "restwright/auth";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { clientOf } from "../../tools/client.js";
import { pages, setUp, things } from "./resources.js";

const auth = [bearer((token) => ({ id: token, tenant: token === "root" ? "root" : "a", claims: { role: token === "root" ? "admin" : "clerk" } }))];

function stage(options: Partial<ServiceOptions> = {}) {
  const { send } = setUp({ auth, anonymous: "allow", ...options });
  const list = async (token: string | undefined, headers = {}) => {
    const { json } = await send({ target: "/pages", headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers } });
    return json.data?.map(({ slug }: { readonly slug: string }) => slug) ?? json.code;
  };
  const create = (token: string, slug: string, headers = {}) =>
    send({ method: "POST", target: "/pages", headers: { authorization: `Bearer ${token}`, ...headers }, body: { slug, title: slug } });
  return { send, list, create };
}

const asks = (tenant: string) => ({ "x-tenant-id": tenant });

describe("the tenant of a request", () => {
  const tenant: NonNullable<ServiceOptions["tenant"]> = async ({ headers }, { claims }) => {
    const asked = headers.get("x-tenant-id");
    if (asked === undefined) return undefined;
    return claims?.["role"] === "admin" ? asked : false;
  };

  test("is the principal's own: the header has no effect without a callback", async () => {
    const { list, create } = stage();
    await create("carl", "own", asks("b"));
    expect(await list("carl")).toEqual(["own"]);
    expect(await list("carl", asks("b"))).toEqual(["own"]);
    expect(await list("root", asks("a"))).toEqual([]);
  });

  test("is chosen by the callback, for every way to the rows", async () => {
    const { list, create, send } = stage({ tenant });
    await create("carl", "of-a");
    expect((await create("root", "of-root")).status).toBe(201);
    expect((await create("root", "also-of-a", asks("a"))).status).toBe(201);
    expect(await list("root")).toEqual(["of-root"]);
    expect(await list("root", asks("a"))).toEqual(["also-of-a", "of-a"]);
    expect(await list("carl")).toEqual(["also-of-a", "of-a"]);
    const headers = { authorization: "Bearer root", ...asks("a") };
    const operations = [
      { method: "POST", url: "/pages", headers: asks("root"), body: { slug: "inside", title: "x" } },
      { method: "DELETE", url: "/pages/of-a" },
    ];
    expect((await send({ method: "POST", target: "/batch", headers, body: { operations } })).json.summary.succeeded).toBe(2);
    expect(await list("carl")).toEqual(["also-of-a", "inside"]);
  });

  test("that the callback refuses is 403", async () => {
    const { list } = stage({ tenant });
    expect(await list("carl", asks("root"))).toBe("FORBIDDEN");
  });

  test.each(["", " ", "a b", "ü", "a\u0000", "x".repeat(129)])("cannot be %j", async (name) => {
    const { send } = stage({ tenant: () => name });
    const { status, json } = await send({ target: "/pages", headers: { authorization: "Bearer root" } });
    expect([status, json.errors]).toEqual([400, [{ code: "INVALID_VALUE", detail: expect.stringContaining("1 to 128"), header: "X-Tenant-ID" }]]);
  });

  test("is not asked for without credentials", async () => {
    const { list } = stage({ tenant: () => "b" });
    expect(await list(undefined, asks("b"))).toEqual([]);
  });

  test("takes part in Vary", async () => {
    const { send } = stage({ tenant });
    expect((await send({ target: "/pages", headers: { authorization: "Bearer root" } })).headers["vary"]).toBe("Authorization, X-Tenant-ID");
  });

  test("that is no text is a 500, and no other tenant's", async () => {
    const { send } = stage({ tenant: (() => 7) as unknown as () => string, logger: false });
    expect((await send({ target: "/pages", headers: { authorization: "Bearer root" } })).status).toBe(500);
  });

  test("without verifiers is an error at start-up", () => {
    const create = () => createService({ resources: [pages, things], storage: memoryStorage(), tenant: () => "a" });
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow('"tenant" has no effect without "auth"');
  });
});

describe("the version of a client", () => {
  const send = (version: string | undefined, minimumClientVersion: string) => {
    const service = createService({ resources: [pages, things], storage: memoryStorage(), minimumClientVersion });
    return clientOf(service)({ target: "/pages", headers: version === undefined ? {} : { "x-client-version": version } });
  };

  test.each([
    [undefined, "2.3.0", 200],
    ["2.3.0", "2.3.0", 200],
    ["2.3", "2.3.0", 200],
    ["v2.3.1", "2.3", 200],
    ["2.10.0", "2.9.9", 200],
    ["3", "2.3.0", 200],
    ["2.3.0+build.7", "2.3.0", 200],
    ["2.4.0-beta.1", "2.3.0", 200],
    ["2.3.0-beta.1", "2.3.0", 400],
    ["2.2.9", "2.3.0", 400],
    ["1.99.99", "2.3.0", 400],
    ["2.3.0.1", "2.3.0.2", 400],
  ])("%s with the minimum %s is answered %i", async (sent, minimum, status) => {
    const answer = await send(sent, minimum);
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.json).toMatchObject({ code: "CLIENT_TOO_OLD", minimum, errors: [{ header: "X-Client-Version" }] });
  });

  test.each(["", "two", "2.3.0.0.1", "2.", `${"9".repeat(10)}.1`, `2.0.0-${"x".repeat(65)}`])("%j is 400 MALFORMED_HEADER", async (sent) => {
    expect((await send(sent, "2.3.0")).json.code).toBe("MALFORMED_HEADER");
  });

  test("that is invalid as a minimum is an error at start-up", () => {
    expect(() => createService({ resources: [pages, things], storage: memoryStorage(), minimumClientVersion: "latest" })).toThrow(
      "a version such as 2.3.0",
    );
  });
});
