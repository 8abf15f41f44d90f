import { type ConfigurationError, defineResource } from "restwright";
import { testService } from "restwright/testing";
import { bytes, date, decimal } from "restwright/values";
import { describe, expect, test } from "vitest";
import { z } from "zod";

describe("decimal()", () => {
  const price = decimal({ precision: 6, scale: 2 });

  test.each([
    ["12.5", "12.50"],
    ["0", "0.00"],
    ["-0", "0.00"],
    ["-0.01", "-0.01"],
    ["9999.99", "9999.99"],
  ])("takes %s and gives %s", (text, canonical) => {
    expect(price.parse(text)).toBe(canonical);
    expect(z.object({ prices: z.array(price.optional()) }).parse({ prices: [text] })).toEqual({ prices: [canonical] });
  });

  test.each(["12.505", "12.500", "10000", "1e2", "+1", "01", ".5", "5.", "", " 1", "NaN", 12.5, 12n, null])("refuses %s", (value) => {
    expect(price.safeParse(value).success).toBe(false);
  });

  test.each([{}, { precision: 0, scale: 0 }, { precision: 2, scale: 3 }, { precision: 2.5, scale: 1 }, { precision: 2_000, scale: 0 }])(
    "digits that no decimal has are an error: %o",
    (digits) => {
      expect(() => decimal(digits as Parameters<typeof decimal>[0])).toThrow(/precision|scale/);
    },
  );

  test("its JSON schema says which texts it takes", () => {
    const { pattern, ...others } = z.toJSONSchema(price.meta({ description: "in euros" }));
    expect(others).toMatchObject({ type: "string", format: "decimal", description: "in euros" });
    expect(["12.5", "-9999.99", "12.505", "10000", "01"].map((text) => new RegExp(pattern ?? "").test(text))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  test.each([price, bytes()])("cannot be an id, nor can bytes", (type) => {
    const define = () => defineResource("items", { schema: z.object({ id: type }) });
    expect(define).toThrow(expect.objectContaining({ name: "ConfigurationError" } satisfies Partial<ConfigurationError>));
  });
});

test.each([
  ["2028-02-29", true],
  ["0001-01-01", true],
  ["9999-12-31", true],
  ["2027-02-29", false],
  ["0000-01-01", false],
  ["2026-1-1", false],
  ["2026-01-31T00:00:00Z", false],
])("date(): %s is a day: %s", (text, isDay) => {
  expect(date().safeParse(text).success).toBe(isDay);
  expect(z.toJSONSchema(date())).toMatchObject({ type: "string", format: "date" });
});

describe("bytes()", () => {
  test.each(["QR==", "QQ", "QQ=", "Q===", "Q Q=", "QQ==\n", "-_8=", "aGVsbG8h"])("refuses %j, of at most five bytes", (text) => {
    expect(bytes({ maxBytes: 5 }).safeParse(text).success).toBe(false);
  });

  test("takes what an encoder writes", () => {
    for (const text of ["", "a", "hi", "hey", "hell", "hello"].map((each) => Buffer.from(each).toString("base64"))) {
      expect(bytes({ maxBytes: 5 }).parse(text)).toBe(text);
    }
    expect(z.toJSONSchema(bytes({ maxBytes: 5 }))).toMatchObject({ type: "string", contentEncoding: "base64", maxLength: 8 });
  });

  test.each([
    ["unique", { unique: ["scan"] }],
    ["unique", { unique: [["name", "scan"]] }],
    ["sort", { sort: ["name", "scan"] }],
    ["index", { index: [["name", "scan"]] }],
  ] as const)("cannot be in %s", (option, options) => {
    const schema = z.object({ id: z.int(), name: z.string(), scan: bytes().nullable().default(null) });
    expect(() => defineResource("files", { schema, ...(options as object) })).toThrow(`files: "${option}" names "scan"; bytes are not compared.`);
  });

  test("can be asked for existence only", () => {
    const schema = z.object({ id: z.int(), scan: bytes() });
    expect(() => defineResource("files", { schema, filter: { scan: ["eq"] } as never })).toThrow(
      '"filter" allows "eq" on "scan", whose type has: exists.',
    );
    expect(() => defineResource("files", { schema, filter: ["scan"] })).not.toThrow();
  });

  test("is shown only to those who ask, and has no operator but exists", async () => {
    const files = defineResource("files", {
      schema: z.object({ id: z.int(), scan: bytes().optional() }),
      generated: { id: "increment" },
    });
    const { service, fetch, close } = testService({ resources: [files] });
    await service.start();
    const send = async (path: string, json?: unknown) => {
      const answer = await fetch(path, { as: { id: "ann" }, ...(json === undefined ? {} : { method: "POST", json }) });
      return { status: answer.status, body: (await answer.json()) as { readonly data?: unknown } };
    };
    expect(await send("/files", { scan: "aGk=" })).toMatchObject({ status: 201 });
    expect(await send("/files", { scan: "QR==" })).toMatchObject({ status: 422, body: { errors: [{ pointer: "/scan" }] } });
    expect((await send("/files/1")).body).toEqual({ id: 1 });
    expect((await send("/files/1?fields=scan")).body).toEqual({ scan: "aGk=" });
    expect((await send("/files?scan[exists]=true")).body.data).toEqual([{ id: 1 }]);
    for (const query of ["scan=aGk%3D", "scan[gt]=a", "scan[like]=a", "sort=scan"]) expect((await send(`/files?${query}`)).status, query).toBe(400);
    await close();
  });
});
