// @slow

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeStores, type OpenedStore } from "../../../tools/storage/batchStores.js";
import { type Answered, type FileStage, fileStage, pdf } from "./stage.js";

const json = { "content-type": "application/json" };
const later = { prefer: "respond-async, handling=strict" };
const strict = { prefer: "handling=strict" };
const csvType = { "content-type": "text/csv" };

/** A way to write the avatar of a person, whose answer has the status 2xx if it was written, or a job that counts no failure. */
interface Way {
  readonly does: "create" | "update";
  send(stage: FileStage, id: string, avatar: string | null): Promise<Answered>;
}

const inBatch = (method: string, path: string, body: object) => ({ operations: [{ method, url: path, body }] });

const ways: Readonly<Record<string, Way>> = {
  POST: { does: "create", send: (stage, id, avatar) => stage.send("POST", "/people", { id, name: id, avatar }) },
  "PUT that creates": { does: "create", send: (stage, id, avatar) => stage.send("PUT", `/people/${id}`, { id, name: id, avatar }) },
  "a batch of creates": {
    does: "create",
    send: (stage, id, avatar) => stage.send("POST", "/people/batch", { items: [{ id, name: id, avatar }] }, strict),
  },
  "a batch of creates as a job": {
    does: "create",
    send: async (stage, id, avatar) => stage.finish(await stage.send("POST", "/people/batch", { items: [{ id, name: id, avatar }] }, later)),
  },
  "a batch of operations": {
    does: "create",
    send: (stage, id, avatar) => stage.send("POST", "/batch", inBatch("POST", "/people", { id, name: id, avatar }), strict),
  },
  "an import": {
    does: "create",
    send: (stage, id, avatar) => stage.send("POST", "/people/import", `id,name,avatar\n${id},${id},${avatar ?? ""}\n`, csvType),
  },
  "an upsert of an import": {
    does: "create",
    send: (stage, id, avatar) => stage.send("POST", "/people/import?mode=upsert&key=id", `id,name,avatar\n${id},${id},${avatar ?? ""}\n`, csvType),
  },
  "a merge patch": { does: "update", send: (stage, id, avatar) => stage.send("PATCH", `/people/${id}`, { avatar }) },
  "a JSON patch": {
    does: "update",
    send: (stage, id, avatar) =>
      stage.send("PATCH", `/people/${id}`, [{ op: "replace", path: "/avatar", value: avatar }], { "content-type": "application/json-patch+json" }),
  },
  PUT: { does: "update", send: (stage, id, avatar) => stage.send("PUT", `/people/${id}`, { id, name: id, avatar }) },
  "a batch of changes": {
    does: "update",
    send: (stage, id, avatar) => stage.send("PATCH", "/people/batch", { items: [{ id, changes: { avatar } }] }, { ...json, ...strict }),
  },
  "a change by filter": { does: "update", send: (stage, id, avatar) => stage.send("POST", `/people/bulk-update?id=${id}`, { avatar }) },
  "an update of an import": {
    does: "update",
    send: (stage, id, avatar) => stage.send("POST", "/people/import?mode=update&key=id", `id,avatar\n${id},${avatar ?? ""}\n`, csvType),
  },
};

/** Whether the row was written: a batch and an import answer 2xx with the number of those that were not. */
function isWritten({ status, json }: Answered): boolean {
  const { failed = 0 } = json.summary ?? json.result ?? {};
  return status >= 200 && status < 300 && json.status !== "failed" && failed === 0;
}

describeStores(
  "claims of files",
  ({ open }) => {
    let opened: OpenedStore;
    let stage: FileStage;
    let count = 0;
    beforeAll(async () => {
      opened = await open();
      stage = fileStage(opened.storage);
    });
    afterAll(async () => {
      await stage.service.close();
      await opened.end();
    });

    /** The id of a person, who exists if the way changes one. */
    async function person({ does }: Way, values: object = {}): Promise<string> {
      const id = `p${++count}`;
      if (does === "update") expect((await stage.send("POST", "/people", { id, name: id, ...values })).status).toBe(201);
      return id;
    }
    const avatarOf = async (id: string) => (await stage.send("GET", `/people/${id}`)).json.avatar;

    describe.each(Object.entries(ways))("by %s", (_, way) => {
      test("take a file of the principal, which no other row can have then", async () => {
        const [file, first] = [await stage.upload(), await person(way)];
        expect((await way.send(stage, first, file)).json).not.toHaveProperty("code");
        expect([await avatarOf(first), await stage.isFree(file)]).toEqual([file, false]);
        const second = await person(way);
        const refused = await way.send(stage, second, file);
        expect(isWritten(refused)).toBe(false);
        expect(JSON.stringify(refused.json)).toContain("FILE_NOT_AVAILABLE");
        expect((await stage.send("GET", `/people/${second}`)).json.avatar ?? null).toBeNull();
        expect((await stage.send("DELETE", `/uploads/${file}`)).json).toMatchObject({ status: 409, code: "ROW_IN_USE" });
      });

      test("refuse what is no file of the principal", async () => {
        const unfinished = (await stage.send("POST", "/uploads", undefined, { "upload-length": "5", "tus-resumable": "1.0.0" })).headers.get(
          "location",
        );
        const files = [
          await stage.upload("of bo", "bo"),
          await stage.upload("of cy", "cy"),
          "0".repeat(32),
          String(unfinished).split("/").at(-1) as string,
          await stage.upload(pdf),
        ];
        for (const file of files) {
          const id = await person(way);
          const refused = await way.send(stage, id, file);
          expect(isWritten(refused)).toBe(false);
          expect(JSON.stringify(refused.json)).toMatch(file === files.at(-1) ? "TYPE_NOT_ALLOWED" : "FILE_NOT_AVAILABLE");
        }
        expect(await stage.isFree(files.at(-1) as string)).toBe(true);
      });

      if (way.does === "update") {
        test("release the file that was there", async () => {
          const [first, second] = [await stage.upload("one"), await stage.upload("two")];
          const id = await person(way, { avatar: first });
          await way.send(stage, id, second);
          expect([await avatarOf(id), await stage.isFree(first), await stage.isFree(second)]).toEqual([second, true, false]);
          await way.send(stage, id, second);
          expect(await stage.isFree(second)).toBe(false);
          await way.send(stage, id, null);
          expect([await avatarOf(id), await stage.isFree(second)]).toEqual([null, true]);
          expect((await stage.send("DELETE", `/uploads/${second}`)).status).toBe(204);
        });
      }
    });

    test.each([
      ["DELETE", (id: string) => stage.send("DELETE", `/people/${id}`)],
      ["a batch", (id: string) => stage.send("POST", "/people/batch-delete", { ids: [id] }, strict)],
      ["a DELETE by filter", (id: string) => stage.send("DELETE", `/people?id=${id}&confirm=true`)],
      ["a call from code", (id: string) => stage.calls.asSystem({ tenant: "t" }).people.remove(id)],
    ] as const)("are released when the row is removed by %s", async (_, remove) => {
      const [avatar, letter] = [await stage.upload(), await stage.upload(pdf)];
      const id = await person(ways["PUT"] as Way, { avatar, letter });
      await remove(id);
      expect((await stage.send("GET", `/people/${id}`)).status).toBe(404);
      expect([await stage.isFree(avatar), await stage.isFree(letter)]).toEqual([true, true]);
    });

    test("are released when the row goes with another", async () => {
      const [logo, avatar] = [await stage.upload("logo"), await stage.upload()];
      await stage.send("POST", "/teams", { id: "gone", logo });
      await stage.send("POST", "/people", { id: "going", name: "going", teamId: "gone", avatar });
      expect((await stage.send("DELETE", "/teams/gone")).status).toBe(204);
      expect([await stage.isFree(logo), await stage.isFree(avatar)]).toEqual([true, true]);
    });

    test("are for one field of one row: not for another field, nor for another collection", async () => {
      const file = await stage.upload();
      expect((await stage.send("POST", "/people", { id: "both", name: "both", avatar: file, letter: file })).json).toMatchObject({
        status: 422,
        errors: [{ code: "FILE_NOT_AVAILABLE", pointer: "/letter" }],
      });
      expect(await stage.isFree(file)).toBe(true);
      await stage.send("POST", "/teams", { id: "has", logo: file });
      expect((await stage.send("POST", "/people", { id: "both", name: "both", avatar: file })).json.code).toBe("FILE_NOT_AVAILABLE");
    });

    test("are left as they were if the row is not written", async () => {
      const [held, free] = [await stage.upload("held"), await stage.upload("free")];
      await stage.send("POST", "/people", { id: "taken", name: "taken", avatar: held });
      expect((await stage.send("POST", "/people", { id: "again", name: "taken", avatar: free })).json.code).toBe("DUPLICATE_NAME");
      expect((await stage.send("PATCH", "/people/taken", { teamId: "no team", avatar: free })).json.code).toBe("UNKNOWN_REFERENCE");
      const items = [
        { id: "x1", name: "taken", avatar: free },
        { id: "x2", name: "x2", avatar: held },
        { id: "x3", name: "x3" },
      ];
      const batch = await stage.send("POST", "/people/batch", { items });
      expect(batch.json.results.map(({ status }: { status: number }) => status)).toEqual([422, 422, 201]);
      expect((await stage.send("POST", "/people/batch", { items: [{ id: "x4", name: "x4", avatar: free }, items[0]] }, strict)).status).toBe(422);
      expect([await stage.isFree(held), await stage.isFree(free)]).toEqual([false, true]);
      expect((await stage.send("PATCH", "/people/taken", { avatar: free }, { "if-match": '"other"' })).status).toBe(412);
      expect(await stage.isFree(free)).toBe(true);
    });

    test("are made once for a file that several rows want at the same time", async () => {
      const file = await stage.upload();
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, n) => stage.send("POST", "/people", { id: `race${n}`, name: `race${n}`, avatar: file })),
      );
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 422)).toHaveLength(11);
      const deleted = await stage.send("DELETE", `/uploads/${file}`);
      expect(deleted.status).toBe(409);
    });

    test("and deletions of the file exclude each other", async () => {
      for (let round = 0; round < 10; round++) {
        const file = await stage.upload();
        const id = `del${round}`;
        const [written, deleted] = await Promise.all([
          stage.send("POST", "/people", { id, name: id, avatar: file }),
          stage.send("DELETE", `/uploads/${file}`),
        ]);
        expect([written.status, deleted.status]).toSatisfy((pair: number[]) => String(pair) === "201,409" || String(pair) === "422,204");
      }
    });

    test("are those of the operation that is repeated", async () => {
      const file = await stage.upload();
      const key = { "idempotency-key": `"${file}"` };
      const body = { id: "once", name: "once", avatar: file };
      const first = await stage.send("POST", "/people", body, key);
      expect(await stage.send("POST", "/people", body, key)).toMatchObject({ status: 201, json: first.json });
    });

    test("of the system may be any of the tenant", async () => {
      const [own, other] = [await stage.upload("of bo", "bo"), await stage.upload("of cy", "cy")];
      const calls = stage.calls.asSystem({ tenant: "t" });
      expect(await calls.people.create({ id: "sys", name: "sys", avatar: own })).toMatchObject({ avatar: own });
      await expect(calls.people.update("sys", { avatar: other })).rejects.toMatchObject({ code: "FILE_NOT_AVAILABLE" });
      await expect(stage.calls.as({ id: "ada", tenant: "t" }).people.update("sys", { letter: other })).rejects.toMatchObject({ status: 422 });
    });

    test("are made by what an action returns", async () => {
      const file = await stage.upload();
      await stage.send("POST", "/teams", { id: "dressed" });
      expect((await stage.send("POST", "/teams/dressed/dress", { logo: file })).json).toMatchObject({ logo: file });
      expect(await stage.isFree(file)).toBe(false);
      expect((await stage.send("POST", "/teams/dressed/dress", { logo: "0".repeat(32) })).json.code).toBe("FILE_NOT_AVAILABLE");
    });
  },
  ({ hasTransactions, name }) => hasTransactions && !name.includes("required methods"),
);
