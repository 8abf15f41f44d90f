import { readFileSync } from "node:fs";
import type { Service } from "restwright";
import { memoryStorage } from "restwright/memory";
import { expect, test } from "vitest";
import { clientOf } from "../../tools/client.js";
import { guide } from "./guideSteps.js";

const withoutSpace = (text: string) =>
  text
    .replaceAll(/^import .*$/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim();

test("the guide shows the code that is run here", () => {
  const page = readFileSync(new URL("../../../docs/versions.md", import.meta.url), "utf8");
  const [, part = ""] = page.split("## Change a field without breaking anyone");
  const code = withoutSpace(readFileSync(new URL("./guideSteps.ts", import.meta.url), "utf8"));
  const blocks = [...part.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, block = ""]) => withoutSpace(block));
  expect(blocks).toHaveLength(4);
  for (const block of blocks) expect(code).toContain(block);
});

test("clients of the old version see no difference after the change, and both versions change the same rows", async () => {
  const { first } = guide(memoryStorage());
  const { second } = guide(memoryStorage());
  const exchange = async (service: Service, headers: Readonly<Record<string, string>>) => {
    const send = clientOf(service);
    const answers = [
      await send({ method: "POST", target: "/users", headers, body: { name: "Ada King Lovelace" } }),
      await send({
        method: "PATCH",
        target: "/users/1",
        headers: { ...headers, "content-type": "application/merge-patch+json" },
        body: { name: "Ada" },
      }),
      await send({ method: "PUT", target: "/users/1", headers, body: { id: 1, name: "Ada Lovelace" } }),
      await send({ target: "/users/1", headers }),
      await send({ target: "/users?fields=name", headers }),
      await send({ method: "POST", target: "/users", headers, body: { name: "" } }),
    ];
    return answers.map(({ status, json: { requestId: _, ...json }, headers: sent }) => ({ status, json, version: sent["x-api-version"] }));
  };
  const old = await exchange(first, {});
  expect(old.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200, 422]);
  const now = await exchange(second, {});
  expect(now.map(({ status, json, version }) => ({ status, version, ...(status === 422 ? {} : { json }) }))).toEqual(
    old.map(({ status, json, version }) => ({ status, version, ...(status === 422 ? {} : { json }) })),
  );
  expect(now.at(-1)?.json.errors).toMatchObject([{ pointer: "/name" }]);
  const send = clientOf(second);
  const v2 = { "x-api-version": "v2" };
  expect((await send({ target: "/users/1", headers: v2 })).json).toEqual({ id: 1, givenName: "Ada", familyName: "Lovelace" });
  await send({
    method: "PATCH",
    target: "/users/1",
    headers: { ...v2, "content-type": "application/merge-patch+json" },
    body: { familyName: "King" },
  });
  expect((await send({ target: "/users/1" })).json).toEqual({ id: 1, name: "Ada King" });
});
