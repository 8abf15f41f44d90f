import { describe, expect, test } from "vitest";
import { type Asking, ask, type Texts, users, written } from "./collections.js";

const repeated = (text: string, times: number, separator = ",") => Array.from({ length: times }, () => text).join(separator);

/** With its prefixes, these are eleven relations of a user. */
const eleven = "manager.company,manager.manager.company,manager.manager.manager,orders.customer.company,company.staff.company";

describe("limits of a selection", () => {
  const refused: [row: string, texts: Texts, detail: RegExp, asking?: Asking][] = [
    ["100 fields", { fields: repeated("id", 101) }, /^The query names too many fields; allowed: 100\.$/],
    ["100 fields, in all texts together", { fields: repeated("id", 60), exclude: repeated("status", 41) }, /too many fields; allowed: 100/],
    ["100 fields, with those by type", { include: "customer", fields: repeated("id", 60), "fields[users]": repeated("id", 41) }, /allowed: 100/],
    ["100 fields, in braces", { fields: `address{${repeated("city", 101)}}` }, /too many fields; allowed: 100/],
    ["100 fields, configured", { fields: "id,status,total" }, /too many fields; allowed: 2/, { limits: { fields: 2 } }],
    ["brace depth 4", { fields: "payload{a{b{c{d{e}}}}}" }, /^"fields" nests braces and dots too deeply; at most 4\.$/],
    ["brace depth 4, unclosed", { fields: repeated("payload{", 9, "") }, /^"fields" nests braces and dots too deeply; at most 4\.$/],
    ["brace depth 4, by dots", { fields: "payload.a.b.c.d.e" }, /^"fields" nests braces and dots too deeply; at most 4\.$/],
    ["brace depth 4, by both", { fields: "payload.a{b.c{d.e}}" }, /nests braces and dots too deeply; at most 4/],
    ["brace depth 4, with a minus", { fields: "-payload.a.b.c.d.e" }, /nests braces and dots too deeply; at most 4/],
    ["brace depth 4, in exclude", { exclude: "payload.a.b.c.d.e" }, /^"exclude" nests braces and dots too deeply; at most 4\.$/],
    [
      "brace depth, configured",
      { fields: "address.geo.lat" },
      /^"fields" nests braces and dots too deeply; at most 1\.$/,
      { limits: { fieldsDepth: 1 } },
    ],
    [
      "brace depth, configured beyond reason",
      { fields: repeated("payload", 102, ".") },
      /too deeply; at most 100/,
      { limits: { fieldsDepth: 100_000 } },
    ],
    ["10 includes", { include: eleven }, /^The query includes too many relations; allowed: 10\.$/, { of: users }],
    ["10 includes, configured", { include: "customer.company" }, /too many relations; allowed: 1\.$/, { limits: { includes: 1 } }],
    [
      "10 includes, those in fields counted",
      { fields: "id,customer.company.name" },
      /too many relations; allowed: 1\.$/,
      { limits: { includes: 1 } },
    ],
    [
      "10 includes, include and expand together",
      { include: "manager.manager.manager", expand: "orders.customer.company" },
      /too many relations; allowed: 5\.$/,
      { of: users, limits: { includes: 5 } },
    ],
    [
      "depth 3",
      { include: "customer.manager.manager.manager" },
      /^"customer\.manager\.manager\.manager" follows relations more than 3 deep; allowed: 3\.$/,
    ],
    ["depth 3, in fields", { fields: "customer.manager.manager.manager.name" }, /follows relations more than 3 deep; allowed: 3/],
    [
      "depth, configured",
      { include: "customer.company" },
      /^"customer\.company" follows relations more than 1 deep; allowed: 1\.$/,
      { limits: { includeDepth: 1 } },
    ],
  ];

  test.each(refused)("%s: more is too complex", (_row, texts, detail, asking) => {
    expect(ask(texts, asking).problems).toEqual([expect.objectContaining({ code: "QUERY_TOO_COMPLEX", detail: expect.stringMatching(detail) })]);
  });

  const accepted: [row: string, texts: Texts, result: string, asking?: Asking][] = [
    ["100 fields", { fields: repeated("id", 60), exclude: repeated("status", 40) }, "id"],
    ["brace depth 4", { fields: "payload{a{b{c{d}}}}" }, "payload{a{b{c{d}}}}"],
    ["dots 4 deep", { fields: "payload.a.b.c.d", exclude: "payload.a.b.c.x" }, "payload{a{b{c{d}}}}"],
    [
      "10 includes, the prefixes counted",
      { include: "orders.customer.company,company.staff" },
      "default + orders(default + customer(default + company(default))) + company(default + staff(default))",
      { of: users, limits: { includes: 5 } },
    ],
    [
      "10 includes, however often they are named",
      { include: repeated("customer", 30), expand: repeated("customer.company", 30) },
      "default + customer(default + company(default))",
    ],
    ["depth 3", { include: "customer.manager.company" }, "default + customer(default + manager(default + company(default)))"],
  ];

  test.each(accepted)("%s: as much is within the limits", (_row, texts, result, asking) => {
    const { selection, problems } = ask(texts, asking);
    expect(problems).toEqual([]);
    expect(written(selection)).toBe(result);
  });
});
