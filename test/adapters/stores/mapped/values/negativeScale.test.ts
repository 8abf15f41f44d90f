import { defineResource } from "restwright";
import { decimal } from "restwright/values";
import { expect, test } from "vitest";
import { z } from "zod";
import { describeEngines, notes } from "../engines.js";

const rounded = defineResource("rounded", {
  schema: z.object({
    id: z.int(),
    text: z.string().nullable(),
    exact: decimal({ precision: 20, scale: 0 }).nullable(),
    plain: z.number().nullable(),
  }),
  table: { name: "rounded", managed: false, version: "hash", tenant: "shared" },
});

describeEngines("numbers with a negative scale", (open, engine) => {
  // SQLite takes no notice of the scale of a column.
  if (engine === "sqlite")
    test("are written as they are", async () => {
      const { send, run } = await open(
        notes({}, { id: z.int(), plain: z.number() }),
        "create table notes (id int not null primary key, plain numeric(3, -2) not null)",
      );
      expect(await send("POST", "/notes", { id: 1, plain: 1250.5 })).toMatchObject({ status: 201, body: { id: 1, plain: 1250.5 } });
      expect(await run("select * from notes")).toEqual([{ id: 1, plain: 1250.5 }]);
    });

  // Since version 15 of PostgreSQL.
  if (engine === "postgres")
    test("are written with zeros before the point, and never rounded", async () => {
      const columns = "text numeric(3, -2), exact numeric(3, -2), plain numeric(3, -2)";
      const opened = await open(rounded, `create table rounded (id int primary key, ${columns})`).catch((error: unknown) => {
        if (!/scale \S+ must be between/.test(String(error))) throw error;
      });
      if (opened === undefined) return;
      const { send } = opened;
      const row = { text: "-1200", exact: "99900", plain: 0 };
      expect(await send("POST", "/rounded", { id: 1, ...row })).toMatchObject({ status: 201, body: row });
      expect((await send("GET", "/rounded?exact=99900&plain[lt]=50")).body.data).toHaveLength(1);
      for (const values of [{ text: "1250" }, { text: "100000" }, { exact: "150" }, { exact: "1200.5" }, { plain: 10 }, { plain: 1e6 }]) {
        const field = Object.keys(values)[0];
        const { status, text, body } = await send("PATCH", "/rounded/1", values);
        expect([status, body.errors?.[0].pointer], text).toEqual([422, `/${field}`]);
        if (!text.includes("Must be"))
          expect(body.detail).toBe(
            `The value of "${field}" is out of range; allowed is 5 digits before the point, the last 2 of them 0, and none after it.`,
          );
      }
      expect((await send("GET", "/rounded/1")).body).toEqual({ id: 1, ...row });
    });
});
