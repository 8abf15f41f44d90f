import { createService, defineResource, type RowFile } from "restwright";
import { createClient } from "restwright/client";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { file, uploads } from "restwright/uploads";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";

const people = defineResource("people", {
  schema: z.object({ id: z.int(), name: z.string(), avatar: file("image/*").nullable().default(null), contract: file("application/pdf").optional() }),
  generated: { id: "increment" },
});
const api = createService({ resources: [people], storage: memoryStorage(), use: [uploads({ blobs: memoryBlobs(), types: "any" })] });
const client = createClient<typeof api>({ baseUrl: "https://example.com" });

// Each by itself: of a union of both the compiler knows only the forms of `get` and `list` that are the same.
describe("calls", () => {
  const shop = api.asSystem();
  test("know ids, and files where a call shows them", async () => {
    expectTypeOf((await shop.people.get(1)).avatar).toEqualTypeOf<string | null>();
    expectTypeOf((await shop.people.get(1)).contract).toEqualTypeOf<string | undefined>();
    expectTypeOf(await shop.people.get(1, { fields: ["name", "avatar"] })).toEqualTypeOf<{ name: string; avatar: string | null }>();
    const { avatar } = await shop.people.get(1, { fields: ["avatar.url", "avatar.size"] });
    expectTypeOf(avatar?.size).toEqualTypeOf<number | undefined>();
    // @ts-expect-error a member that the call does not show
    avatar?.sha256;
    const whole = await shop.people.get(1, { include: ["avatar"] });
    expectTypeOf(whole.avatar).toEqualTypeOf<RowFile | null>();
    expectTypeOf(whole.contract).toEqualTypeOf<string | undefined>();
    expectTypeOf((await shop.people.list({ include: ["contract"] })).data[0]?.contract).toEqualTypeOf<RowFile | undefined>();
  });

  test("refuse members that no file has", () => {
    // @ts-expect-error
    void shop.people.get(1, { fields: ["avatar.sise"] });
    // @ts-expect-error
    void shop.people.get(1, { include: ["name"] });
  });
});

describe("the client", () => {
  const shop = client;
  test("know ids, and files where a call shows them", async () => {
    expectTypeOf((await shop.people.get(1)).avatar).toEqualTypeOf<string | null>();
    expectTypeOf((await shop.people.get(1)).contract).toEqualTypeOf<string | undefined>();
    expectTypeOf(await shop.people.get(1, { fields: ["name", "avatar"] })).toEqualTypeOf<{ name: string; avatar: string | null }>();
    const { avatar } = await shop.people.get(1, { fields: ["avatar.url", "avatar.size"] });
    expectTypeOf(avatar?.size).toEqualTypeOf<number | undefined>();
    // @ts-expect-error a member that the call does not show
    avatar?.sha256;
    const whole = await shop.people.get(1, { include: ["avatar"] });
    expectTypeOf(whole.avatar).toEqualTypeOf<RowFile | null>();
    expectTypeOf(whole.contract).toEqualTypeOf<string | undefined>();
    expectTypeOf((await shop.people.list({ include: ["contract"] })).data[0]?.contract).toEqualTypeOf<RowFile | undefined>();
  });

  test("refuse members that no file has", () => {
    // @ts-expect-error
    void shop.people.get(1, { fields: ["avatar.sise"] });
    // @ts-expect-error
    void shop.people.get(1, { include: ["name"] });
  });
});
