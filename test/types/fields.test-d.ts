import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { defineFields, type Select, selectFields } from "../../src/language/fields/index.js";

interface User {
  id: number;
  name: string;
  nick?: string | undefined;
  note: string | null;
  readonly born: Date;
  address: { city: string; zip: string; geo?: { lat: number; lon: number } | undefined } | null;
  posts: { id: number; title: string; tags: { label: string; weight: number }[] }[];
  readonly notes: readonly { text: string; at: Date }[];
  meta: Record<string, { by: string; at: string }>;
  pay: { kind: "card"; number: string } | { kind: "bank"; iban: string };
  data: unknown;
  anything: ReturnType<typeof JSON.parse>;
}

describe("Select", () => {
  test("knows a list of names", () => {
    expectTypeOf<Select<User, "id">>().toEqualTypeOf<{ id: number }>();
    expectTypeOf<Select<User, "id,name">>().toEqualTypeOf<{ id: number; name: string }>();
    expectTypeOf<Select<User, " id ,\n\tname ">>().toEqualTypeOf<{ id: number; name: string }>();
    expectTypeOf<Select<User, "id,id">>().toEqualTypeOf<{ id: number }>();
  });

  test("keeps optional, nullable and readonly as they are", () => {
    expectTypeOf<Select<User, "nick,note,born">>().toEqualTypeOf<{ nick?: string | undefined; note: string | null; readonly born: Date }>();
    expectTypeOf<Select<User, "address.geo.lat">>().toEqualTypeOf<{ address: { geo?: { lat: number } | undefined } | null }>();
  });

  test("knows dots, braces, and braces within braces", () => {
    expectTypeOf<Select<User, "address.city">>().toEqualTypeOf<{ address: { city: string } | null }>();
    expectTypeOf<Select<User, "id,address{city}">>().toEqualTypeOf<{ id: number; address: { city: string } | null }>();
    expectTypeOf<Select<User, "address{ city , geo{lat} },id">>().toEqualTypeOf<{
      id: number;
      address: { city: string; geo?: { lat: number } | undefined } | null;
    }>();
    expectTypeOf<Select<User, "address.geo{lat,lon}">>().toEqualTypeOf<Select<User, "address{geo{lat,lon}}">>();
    expectTypeOf<Select<User, "address.city,id,address.zip">>().toEqualTypeOf<{ id: number; address: { city: string; zip: string } | null }>();
    expectTypeOf<Select<User, "address.city,address">>().toEqualTypeOf<Pick<User, "address">>();
  });

  test("looks through arrays", () => {
    expectTypeOf<Select<User, "posts.title">>().toEqualTypeOf<{ posts: { title: string }[] }>();
    expectTypeOf<Select<User, "posts{id,tags{label}}">>().toEqualTypeOf<{ posts: { id: number; tags: { label: string }[] }[] }>();
    expectTypeOf<Select<User, "notes.at">>().toEqualTypeOf<{ readonly notes: { at: Date }[] }>();
  });

  test("knows * and names to leave out", () => {
    expectTypeOf<Select<User, "*">>().toEqualTypeOf<User>();
    expectTypeOf<Select<User, "*,-posts,-meta">>().toEqualTypeOf<Omit<User, "posts" | "meta">>();
    expectTypeOf<Select<User, "-posts, -meta">>().toEqualTypeOf<Omit<User, "posts" | "meta">>();
    expectTypeOf<Select<User, "address{*}">>().toEqualTypeOf<Pick<User, "address">>();
    expectTypeOf<Select<User, "address{*,-geo}">>().toEqualTypeOf<{ address: { city: string; zip: string } | null }>();
    expectTypeOf<Select<User, "address{-geo.lat}">>().toEqualTypeOf<{
      address: { city: string; zip: string; geo?: { lon: number } | undefined } | null;
    }>();
    expectTypeOf<Select<User, "-posts.tags">["posts"]>().toEqualTypeOf<{ id: number; title: string }[]>();
    expectTypeOf<Select<User, "-posts.tags">["id"]>().toEqualTypeOf<number>();
  });

  test("knows that * leaves heavy fields out, and names bring them back", () => {
    expectTypeOf<Select<{ id: number; bio: string }, "*", "bio">>().toEqualTypeOf<{ id: number }>();
    expectTypeOf<Select<{ id: number; bio: string }, "*,bio", "bio">>().toEqualTypeOf<{ id: number; bio: string }>();
    expectTypeOf<Select<{ id: number; bio: { a: string; b: string } }, "*,bio.a", "bio">>().toEqualTypeOf<{ id: number; bio: { a: string } }>();
    expectTypeOf<Select<User, "*,address.city">>().toEqualTypeOf<User>();
  });

  test("takes members of records, of unions and of data that nobody described", () => {
    expectTypeOf<Select<User, "meta.created.by">>().toEqualTypeOf<{ meta: { created?: { by: string } } }>();
    expectTypeOf<Select<User, "pay{kind,iban}">>().toEqualTypeOf<{ pay: { kind: "card" } | { kind: "bank"; iban: string } }>();
    expectTypeOf<Select<User, "data.x">>().toEqualTypeOf<{ data: unknown }>();
    expectTypeOf<Select<User, "anything.x">["anything"]>().toBeAny();
  });

  test("makes a member of type never of a name that there is not", () => {
    expectTypeOf<Select<User, "id,nmae">>().toEqualTypeOf<{ id: number; nmae: never }>();
    expectTypeOf<Select<User, "address.cty">>().toEqualTypeOf<{ address: { cty: never } | null }>();
  });

  test("says of several texts that it is one of them, and of any text that it is a part", () => {
    expectTypeOf<Select<User, "id" | "name">>().toEqualTypeOf<{ id: number } | { name: string }>();
    expectTypeOf<Select<User, string>>().toEqualTypeOf<Partial<User>>();
  });
});

const schema = z.object({
  id: z.int(),
  name: z.string().optional(),
  bio: z.string(),
  address: z.object({ city: z.string(), zip: z.string() }),
  posts: z.array(z.object({ title: z.string() })),
});

describe("selectFields", () => {
  test("answers what was chosen", () => {
    const pick = selectFields(schema, "id,name,address{city},posts.title");
    expectTypeOf(pick).returns.toEqualTypeOf<{ id: number; name?: string | undefined; address: { city: string }; posts: { title: string }[] }>();
    expectTypeOf(pick).parameter(0).toEqualTypeOf<Readonly<z.output<typeof schema>>>();
    expectTypeOf(selectFields(schema, "*", { heavy: ["bio", "posts"] })).returns.toEqualTypeOf<{
      id: number;
      name?: string | undefined;
      address: { city: string; zip: string };
    }>();
  });

  test("takes text that is known only later", () => {
    const later = (text: string) => selectFields(schema, text);
    expectTypeOf(later).returns.returns.toEqualTypeOf<Partial<z.output<typeof schema>>>();
  });

  test("does not compile with a name that there is not, and says which", () => {
    const wrong = () => {
      // @ts-expect-error: '"id,nmae"' is not assignable to 'Unknown field "nmae"'
      selectFields(schema, "id,nmae");
      // @ts-expect-error: Unknown field "address.cty"
      selectFields(schema, "address{cty}");
      // @ts-expect-error: Unknown field "boi"
      selectFields(schema, "-boi");
      // @ts-expect-error: Unknown field "id.x"
      selectFields(schema, "id.x");
      // @ts-expect-error: no such field
      selectFields(schema, "*", { heavy: ["boi"] });
    };
    expectTypeOf(wrong).returns.toBeVoid();
  });
});

describe("defineFields", () => {
  test("selects by text, by the texts of a request, and by what was parsed", () => {
    const fields = defineFields(schema, { heavy: ["bio"], compact: ["id", "name"] });
    expectTypeOf(fields.select("*,-address")).returns.toEqualTypeOf<{ id: number; name?: string | undefined; posts: { title: string }[] }>();
    expectTypeOf(fields.select({ fields: "id", exclude: "name" })).returns.toEqualTypeOf<Partial<z.output<typeof schema>>>();
    expectTypeOf(fields.select(fields.parse("id"))).returns.toEqualTypeOf<Partial<z.output<typeof schema>>>();
  });

  test("does not compile with a field that there is not", () => {
    const wrong = () => {
      // @ts-expect-error: no such field
      defineFields(schema, { heavy: ["boi"] });
      // @ts-expect-error: no such field
      defineFields(schema, { compact: ["nmae"] });
      // @ts-expect-error: Unknown field "nmae"
      defineFields(schema).select("nmae");
    };
    expectTypeOf(wrong).returns.toBeVoid();
  });

  test("knows the declared fields of a loose object", () => {
    const loose = selectFields(z.looseObject({ id: z.int(), name: z.string() }), "id,other");
    expectTypeOf(loose).returns.toEqualTypeOf<{ id: number; other?: unknown }>();
  });
});
