import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Asking, ask, type Texts, users, written } from "./collections.js";

describe("a field that the principal may not read", () => {
  const accepted: [row: string, texts: Texts, result: string, asking?: Asking][] = [
    [
      "is in `*` for whom may read it",
      { fields: "*,-lines,-meta,-payload,-loose,-either,-address,-big" },
      "id,status,total,margin,audit,ssn,customerId,agentId,auditorId",
      { id: "admin" },
    ],
    ["is not in `*`", { fields: "*,-lines,-meta,-payload,-loose,-either,-address,-big" }, "id,status,total,customerId"],
    ["is not in the default view that something is excluded from", { exclude: "status" }, "id,total", { kind: "compact" }],
    ["silently omitted", { fields: "id,audit" }, "id"],
    ["silently omitted with its members, whatever they are called", { fields: "id,audit.by,audit{nothing}" }, "id"],
    ["in exclude allowed", { fields: "id", exclude: "margin,audit,audit.nothing" }, "id"],
    ["with a minus allowed", { fields: "*,-margin,-audit,-lines,-meta,-payload,-loose,-either,-address,-big" }, "id,status,total,customerId"],
    ["is omitted where `authorize` names others", { fields: "id,status" }, "id", { only: ["id"] }],
    ["is not in `*` where `authorize` names others", { fields: "*" }, "id,total", { only: ["id", "total", "margin"] }],
    [
      "does not narrow related rows where `authorize` names fields of one's own",
      { fields: "id,customer{id,name}" },
      "id + customer(id,name)",
      { only: ["id", "customerId"] },
    ],
  ];

  test.each(accepted)("%s: %j", (_row, texts, result, asking) => {
    const { selection, problems } = ask(texts, asking);
    expect(problems).toEqual([]);
    expect(written(selection)).toBe(result);
  });

  const refused: [row: string, texts: Texts, code: string, detail: RegExp, asking?: Asking][] = [
    ["403", { fields: "id,margin" }, "FORBIDDEN_FIELD", /^Not allowed to read "margin"\.$/],
    ["403 beside a star", { fields: "*,margin" }, "FORBIDDEN_FIELD", /^Not allowed to read "margin"\.$/],
    ["403 of related rows", { fields: "customer.salary" }, "FORBIDDEN_FIELD", /^Not allowed to read "customer\.salary"\.$/],
    ["403 by type", { include: "customer", "fields[users]": "salary" }, "FORBIDDEN_FIELD", /^Not allowed to read "salary"\.$/],
    ["403 where `authorize` names others", { fields: "margin" }, "FORBIDDEN_FIELD", /"margin"/, { id: "admin", only: ["id"] }],
    ["nothing is left after omitting", { fields: "audit" }, "EMPTY_SELECTION", /^"fields" leaves nothing to show\.$/],
    [
      "hidden where `authorize` names others",
      { fields: "ssn" },
      "UNKNOWN_FIELD",
      /^Unknown field "ssn" in "fields"\.$/,
      { id: "admin", only: ["id"] },
    ],
    ["a relation over a forbidden key", { include: "agent" }, "FORBIDDEN_FIELD", /^Not allowed to read "agent"\.$/],
    ["a relation over a forbidden key, in fields", { fields: "id,agent.name" }, "FORBIDDEN_FIELD", /^Not allowed to read "agent"\.$/],
    [
      "a relation over a key that `authorize` leaves out",
      { include: "customer" },
      "FORBIDDEN_FIELD",
      /^Not allowed to read "customer"\.$/,
      { only: ["id"] },
    ],
    ["a type behind a forbidden relation", { include: "agent", "fields[users]": "id" }, "FORBIDDEN_FIELD", /^Not allowed to read "agent"\.$/],
  ];

  test.each(refused)("%s: %j is refused", (_row, texts, code, detail, asking) => {
    expect(ask(texts, asking).problems).toEqual([expect.objectContaining({ code, detail: expect.stringMatching(detail) })]);
  });

  test("may be followed and shown by whom has the right", () => {
    const { selection, problems } = ask({ fields: "margin,audit.by,ssn,agent.salary,auditor.name" }, { id: "admin" });
    expect(problems).toEqual([]);
    expect(written(selection)).toBe("margin,audit{by},ssn + agent(salary) + auditor(name)");
  });

  test("excluding a relation over a forbidden key is allowed, over a hidden one it is unknown", () => {
    expect(ask({ exclude: "agent,agent.nothing" }).problems).toEqual([]);
    expect(ask({ exclude: "auditor" }).problems).toEqual([expect.objectContaining({ code: "UNKNOWN_FIELD" })]);
  });
});

describe("a hidden name", () => {
  const hidden: [kind: string, name: string, asking?: Asking][] = [
    ["a field with the policy `hide`", "ssn"],
    ["a write-only field", "secret"],
    ["a relation over a hidden key", "auditor"],
    ["a relation to many over a hidden key", "audits", { of: users }],
  ];
  // As far from every name as the hidden ones are, so that neither has a hint.
  const templates: Texts[] = [
    { fields: "@" },
    { fields: "@.name" },
    { fields: "id,@{a,b.c},@.d" },
    { fields: "*,-@" },
    { fields: "-@.a" },
    { exclude: "@" },
    { exclude: "@.name,id" },
    { include: "@" },
    { expand: "@.company" },
    { include: "@", exclude: "@.a", fields: "@" },
    { include: "@", "fields[users]": "nothing" },
  ];

  test.each(hidden)("%s is answered byte for byte as an unknown one but for the name", (_kind, name, asking) => {
    const unknown = "qwxz7".padEnd(name.length, "7").slice(0, name.length);
    for (const template of templates) {
      const answer = (given: string) => {
        const texts = Object.fromEntries(Object.entries(template).map(([parameter, text]) => [parameter, text.replaceAll("@", given)]));
        return JSON.stringify(ask(texts, asking).problems);
      };
      expect(answer(name)).not.toBe("[]");
      expect(answer(name).replaceAll(name, "@")).toBe(answer(unknown).replaceAll(unknown, "@"));
    }
  });

  test("is in no hint, and neither is a forbidden one", () => {
    const near = ["ssm", "Ssn", "secre", "secrett", "Secret", "marginn", "Margin", "auditt", "auditorr", "agentt", "agentIdd", "customer.salaryy"];
    fc.assert(
      fc.property(fc.constantFrom(...near), fc.constantFrom("fields", "exclude", "include"), (name, parameter) => {
        const [problem] = ask({ [parameter]: name }).problems;
        expect(problem?.code).toMatch(/^UNKNOWN_/);
        expect(problem?.hint ?? "").not.toMatch(/ssn|secret|margin|audit|agent|salary/);
      }),
    );
  });
});
