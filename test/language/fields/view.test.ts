import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Views } from "../../../src/language/fields/view.js";
import { introspectObject } from "../../../src/language/schema/introspect.js";
import { outputConverter } from "../../../src/language/schema/wire.js";

const schema = z.object({
  id: z.int(),
  name: z.string(),
  note: z.string().nullable(),
  nick: z.string().optional(),
  big: z.bigint().optional(),
  bio: z.string().optional(),
  ssn: z.string().optional(),
  secret: z.string().optional(),
});
const access = { ssn: { read: ({ id }: { id: string }) => id === "admin" }, secret: { read: false } };
const fields = [...introspectObject(schema).values()].map((field) => ({
  ...field,
  heavy: field.name === "bio",
  access: access[field.name as keyof typeof access],
  toOutput: outputConverter(field),
}));
const views = new Views(fields, ["id", "name", "ssn"]);
const row = { id: 1, name: "Ada", note: null, nick: null, big: 5n, bio: "…", ssn: "123", secret: "s", _version: "v" };
const [admin, clerk] = [{ id: "admin" }, { id: "clerk" }];

describe("a view", () => {
  test("shows nullable fields as null and leaves out optional ones, heavy ones, write-only ones and reserved members", () => {
    expect(views.of("full", admin).select(row)).toEqual({ id: 1, name: "Ada", note: null, big: "5", ssn: "123" });
  });

  test("leaves out what the principal may not read", () => {
    expect(views.of("full", clerk).select(row)).not.toHaveProperty("ssn");
    expect(views.of("compact", clerk).select(row)).toEqual({ id: 1, name: "Ada" });
  });

  test("is narrowed by the fields that authorize names, never widened", () => {
    expect(views.of("full", clerk, ["id", "ssn", "secret"]).select(row)).toEqual({ id: 1 });
  });

  test("has a tag of its own wherever it is not the full default", () => {
    const tags = [views.of("full", admin), views.of("full", clerk), views.of("compact", admin), views.of("full", admin, ["id"])].map(
      ({ tag }) => tag,
    );
    expect(tags[0]).toBeUndefined();
    expect(new Set(tags).size).toBe(4);
    expect(tags[1]).toMatch(/^[0-9a-f]{8}$/);
  });

  test("has the default's tag where it shows just the default, whatever was asked for or denied", () => {
    const heavyForAdmins = new Views(fields.map((field) => (field.name === "bio" ? { ...field, access: access.ssn } : field)));
    expect(heavyForAdmins.of("full", admin).tag).toBeUndefined();
  });

  test("names the columns it reads, unless it reads all that are stored", () => {
    expect(views.of("full", admin).columns).toEqual(["id", "name", "note", "nick", "big", "ssn"]);
    expect(views.of("full", clerk).columns).toEqual(["id", "name", "note", "nick", "big"]);
    expect(views.of("compact", clerk).columns).toEqual(["id", "name"]);
    expect(new Views(fields.slice(0, 5)).of("full", clerk).columns).toBeUndefined();
    expect(new Views(fields.slice(0, 6)).of("full", clerk).columns).toEqual(["id", "name", "note", "nick", "big"]);
    expect(new Views([...fields.slice(0, 5), ...fields.slice(7)]).of("full", clerk).columns).toEqual(["id", "name", "note", "nick", "big"]);
  });

  test("is compiled once for the same rights", () => {
    expect(views.of("full", clerk)).toBe(views.of("full", { id: "other" }));
    expect(views.of("full", admin)).toBe(views.of("full", admin));
  });
});
