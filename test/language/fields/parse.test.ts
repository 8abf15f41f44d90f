import { describe, expect, test } from "vitest";
import { defaultLimits } from "../../../src/ground/limits/limits.js";
import type { ProblemItem } from "../../../src/ground/problem/index.js";
import { parseSelection } from "../../../src/language/fields/parse.js";
import { gateFor } from "../../../src/language/schema/access.js";
import { type Asking, ask, orders, type Texts, users, written } from "./collections.js";

const light = "id,status,total,big,address,lines,meta,payload,loose,either,customerId";

describe("fields", () => {
  const chosen: [row: string, texts: Texts, canonical: string][] = [
    ["absent → the default view", {}, "default"],
    ["?fields=id,name,email", { fields: "id,status,total" }, "id,status,total"],
    ["the order asked for is the order of the answer", { fields: "total,id" }, "total,id"],
    ["Whitespace around commas is trimmed", { fields: "  id ,\tstatus\n, address { city , zip } " }, "id,status,address{city,zip}"],
    ["fitem: dotted-path", { fields: "id,address.city" }, "id,address{city}"],
    ['fitem: dotted-path "{" fields "}"', { fields: "address{city,geo{lat}}" }, "address{city,geo{lat}}"],
    ["a dotted path before braces", { fields: "address.geo{lat,lon}" }, "address{geo{lat,lon}}"],
    ["members of one object may stand apart", { fields: "address.city,id,address{zip}" }, "address{city,zip},id"],
    ["arrays are looked through", { fields: "lines.sku,lines{quantity}" }, "lines{sku,quantity}"],
    ["`*` = all readable non-heavy fields", { fields: "*" }, light],
    ["heavy only by name", { fields: "id,notes" }, "id,notes"],
    ["`*` and a heavy name", { fields: "notes,*" }, `${light},notes`],
    ["`-x` alone ≡ `*,-x`", { fields: "-status" }, light.replace("status,", "")],
    ["`*,-x`", { fields: "*,-status,-meta" }, light.replace("status,", "").replace("meta,", "")],
    ["`-x,*`", { fields: "-status,*" }, light.replace("status,", "")],
    ["a minus outdoes the name itself", { fields: "*,notes,-notes" }, light],
    ["`-address.city`", { fields: "-address.city" }, light.replace("address", "address{*,-city}")],
    ["`-address.geo.lat`", { fields: "*,-address.geo.lat" }, light.replace("address", "address{*,-geo.lat}")],
    ["`address{*}` is the whole", { fields: "address{*}" }, "address"],
    ["`address{*,-zip}`", { fields: "address{*,-zip}" }, "address{*,-zip}"],
    ["`address{-zip}` ≡ `address{*,-zip}`", { fields: "address{-zip}" }, "address{*,-zip}"],
    ["what is left out has no order", { fields: "address{-zip,-city}" }, "address{*,-city,-zip}"],
    ["`id` NOT added silently", { fields: "status" }, "status"],
    ["the same name twice", { fields: "id,id,status,id" }, "id,status"],
    ["whole wins over parts", { fields: "address.city,address" }, "address"],
    ["whole wins over parts, deeper", { fields: "address{geo{lat},geo}" }, "address{geo}"],
    ["all but one, and that one", { fields: "address{-zip},address.zip" }, "address"],
    ["all but two, and one of them", { fields: "address{-zip,-city},address.zip" }, "address{*,-city}"],
    ["all but a part, and another part", { fields: "address{-geo.lat},address.geo.lat" }, "address"],
    ["all but one twice", { fields: "address{-zip},address{-city}" }, "address"],
    ["members of a record have any name", { fields: "meta.created{by}" }, "meta{created{by}}"],
    ["members of data without a schema have any name", { fields: "payload.a.b" }, "payload{a{b}}"],
    ["undeclared members of a loose object", { fields: "loose{known,more.deep}" }, "loose{known,more{deep}}"],
    ["members of any alternative of a union", { fields: "either{card,iban}" }, "either{card,iban}"],
  ];

  test.each(chosen)("%s: %j", (_row, texts, canonical) => {
    const { selection, problems } = ask(texts);
    expect(problems).toEqual([]);
    expect(written(selection)).toBe(canonical);
  });

  const refused: [row: string, fields: string, code: string, detail: RegExp, hint?: string][] = [
    ["unknown field", "statos", "UNKNOWN_FIELD", /^Unknown field "statos" in "fields"\. Did you mean "status"\?$/, 'did you mean "status"'],
    ["Names are case-sensitive", "Status", "UNKNOWN_FIELD", /^Unknown field "Status" .* "status"/, 'did you mean "status"'],
    ["unknown member", "address.cty", "UNKNOWN_FIELD", /^Unknown field "address\.cty" in "fields"\. Did you mean "address\.city"\?$/],
    ["unknown member in braces", "address{cty}", "UNKNOWN_FIELD", /^Unknown field "address\.cty" in "fields"\. Did you mean "address\.city"\?$/],
    ["unknown member of an array", "lines.cost", "UNKNOWN_FIELD", /^Unknown field "lines\.cost" in "fields"\.$/],
    ["unknown member of a text", "status.x", "UNKNOWN_FIELD", /^Unknown field "status\.x" in "fields"\.$/],
    ["all members of a text", "status{*}", "UNKNOWN_FIELD", /^Unknown field "status\.\*" in "fields"\.$/],
    ["unknown member of a union", "either.cvv", "UNKNOWN_FIELD", /^Unknown field "either\.cvv"/],
    ["unknown below a member of a record", "meta.x.who", "UNKNOWN_FIELD", /^Unknown field "meta\.x\.who"/],
    ["unknown with a minus", "-statos", "UNKNOWN_FIELD", /^Unknown field "statos" in "fields"\. Did you mean "status"\?$/],
    ["unknown member with a minus", "-address.cty", "UNKNOWN_FIELD", /^Unknown field "address\.cty"/],
    ["__proto__", "__proto__", "UNKNOWN_FIELD", /^Unknown field "__proto__"/],
    ["__proto__ inside data", "payload.__proto__", "UNKNOWN_FIELD", /^Unknown field "payload\.__proto__"/],
    ["constructor", "constructor", "UNKNOWN_FIELD", /^Unknown field "constructor"/],
    ["`fields=`", "", "EMPTY_SELECTION", /^"fields" leaves nothing to show\.$/],
    ["`fields=` of white space", " \t", "EMPTY_SELECTION", /^"fields" leaves nothing to show\.$/],
    ["`*,-…` of everything", light.replaceAll(/\w+/g, "-$&"), "EMPTY_SELECTION", /^"fields" leaves nothing to show\.$/],
    ["list element empty", "id,,status", "EMPTY_VALUE", /^"fields" has an empty name at character 4\.$/],
    ["list element empty at the end", "id,", "EMPTY_VALUE", /^"fields" has an empty name at character 4\.$/],
    ["list element empty in braces", "address{city, }", "EMPTY_VALUE", /^"fields" has an empty name at character 15\.$/],
    ["empty braces", "address{}", "EMPTY_VALUE", /^"fields" has an empty name at character 9\.$/],
    ["braces without a name", "id,{city}", "EMPTY_VALUE", /^"fields" has an empty name at character 4\.$/],
    ["a brace too many", "id,address{city}}", "INVALID_VALUE", /^"fields" has no open brace at character 17\.$/],
    ["a closing brace alone", "id}", "INVALID_VALUE", /^"fields" has no open brace at character 3\.$/],
    ["a brace too few", "id,address{city", "INVALID_VALUE", /^"fields" has an open brace at character 16\.$/],
    ["text after a brace", "address{city} id", "INVALID_VALUE", /^"fields" needs a comma at character 15\.$/],
    ["braces after braces", "address{city}{zip}", "INVALID_VALUE", /^"fields" needs a comma at character 14\.$/],
    ["a dot too many", "id, address..city", "INVALID_VALUE", /^"fields" has "address\.\.city" at character 5, where a name is expected\.$/],
    ["a dot at the end", "address.", "INVALID_VALUE", /"address\." at character 1/],
    ["a minus alone", "*,-", "INVALID_VALUE", /"-" at character 3/],
    ["a star below a dot", "address.*", "INVALID_VALUE", /"address\.\*" at character 1/],
    ["a star with a minus", "-*", "INVALID_VALUE", /"-\*" at character 1/],
    ["a star with braces", "*{city}", "INVALID_VALUE", /"\*\{" at character 1/],
    ["a minus before braces", "*,-address{city}", "INVALID_VALUE", /"-address\{" at character 3/],
    [
      "names and minus mixed without `*`",
      "id,-status",
      "INVALID_VALUE",
      /^"fields" mixes names .* Did you mean "\*,-status"\?$/,
      'did you mean "*,-status"',
    ],
    ["mixed in braces", "address{city,-geo.lat}", "INVALID_VALUE", /mixes names/, 'did you mean "*,-geo.lat"'],
  ];

  test.each(refused)("%s: %j is refused", (_row, fields, code, detail, hint) => {
    const { problems } = ask({ fields });
    expect(problems).toEqual([expect.objectContaining({ code, detail: expect.stringMatching(detail), parameter: "fields" })]);
    if (hint !== undefined) expect(problems[0]?.hint).toBe(hint);
  });

  test("ALL problems are collected, each once", () => {
    const { problems } = ask({ fields: "a1,a1.b,b2{c},address{q1},address.q1", exclude: "c3", include: "d4" });
    expect(problems.map(({ parameter, detail }) => [parameter, /"(.*?)"/.exec(detail)?.[1]])).toEqual([
      ["exclude", "c3"],
      ["fields", "a1"],
      ["fields", "b2"],
      ["fields", "address.q1"],
      ["include", "d4"],
    ]);
  });

  test("a fault in a body is placed by its pointer", () => {
    const problems: ProblemItem[] = [];
    const gate = gateFor({ id: "clerk" });
    const fields = { text: "statos,", place: { pointer: "/fields" } };
    parseSelection({ fields, include: [], types: new Map() }, orders, { kind: "full", own: gate, related: gate, limits: defaultLimits }, problems);
    expect(problems).toEqual([{ code: "EMPTY_VALUE", detail: '"/fields" has an empty name at character 8.', pointer: "/fields" }]);
  });
});

describe("exclude", () => {
  const chosen: [row: string, texts: Texts, canonical: string][] = [
    ["?exclude=<f1>,<f2>", { exclude: "status, meta" }, light.replace("status,", "").replace("meta,", "")],
    ["result = (fields or default view) − exclude", { fields: "id,status,total", exclude: "status" }, "id,total"],
    ["a member", { exclude: "address.geo.lat" }, light.replace("address", "address{*,-geo.lat}")],
    ["a member of chosen members", { fields: "address{city,zip}", exclude: "address.zip" }, "address{city}"],
    ["the last of the chosen members", { fields: "id,address{city}", exclude: "address.city" }, "id"],
    ["what is not shown anyway", { fields: "id", exclude: "notes,address.city,customer.email" }, "id"],
    ["a field and its member", { fields: "id,address", exclude: "address.city,address" }, "id"],
    ["the same twice", { fields: "id,status", exclude: "status,status" }, "id"],
  ];

  test.each(chosen)("%s: %j", (_row, texts, canonical) => {
    const { selection, problems } = ask(texts);
    expect(problems).toEqual([]);
    expect(written(selection)).toBe(canonical);
  });

  const refused: [row: string, texts: Texts, code: string, detail: RegExp][] = [
    ["empty result 400", { fields: "id", exclude: "id" }, "EMPTY_SELECTION", /^"fields" leaves nothing to show\.$/],
    ["empty result of the default view", { exclude: light }, "EMPTY_SELECTION", /^"exclude" leaves nothing to show\.$/],
    ["blank", { exclude: "" }, "EMPTY_VALUE", /^"exclude" has an empty name at character 1\.$/],
    ["element empty", { exclude: "id,,status" }, "EMPTY_VALUE", /^"exclude" has an empty name at character 4\.$/],
    ["unknown field", { exclude: "statos" }, "UNKNOWN_FIELD", /^Unknown field "statos" in "exclude"\. Did you mean "status"\?$/],
    ["unknown member", { exclude: "address.cty" }, "UNKNOWN_FIELD", /^Unknown field "address\.cty" in "exclude"\. Did you mean "address\.city"\?$/],
    ["unknown field of a relation", { exclude: "customer.nmae" }, "UNKNOWN_FIELD", /^Unknown field "customer\.nmae" .* "customer\.name"\?$/],
    ["braces", { exclude: "id,address{city}" }, "INVALID_VALUE", /^"exclude" has "address\{" at character 4, where a name is expected\.$/],
    ["a minus", { exclude: "-id" }, "INVALID_VALUE", /"-id" at character 1/],
    ["a star", { exclude: "*" }, "INVALID_VALUE", /"\*" at character 1/],
    ["a dot too many", { exclude: "address." }, "INVALID_VALUE", /"address\." at character 1/],
  ];

  test.each(refused)("%s: %j is refused", (_row, texts, code, detail) => {
    expect(ask(texts).problems).toEqual([expect.objectContaining({ code, detail: expect.stringMatching(detail) })]);
  });
});

describe("relations", () => {
  const chosen: [row: string, texts: Texts, result: string, asking?: Asking][] = [
    ["?include=<relation>", { include: "customer" }, "default + customer(default)"],
    ["expand is a synonym", { expand: "customer" }, "default + customer(default)"],
    ["both", { include: "customer", expand: "customer.company" }, "default + customer(default + company(default))"],
    ["prefixes are implied", { include: "customer.company" }, "default + customer(default + company(default))"],
    ["With expansion ?expand=author&fields=id,author.name", { expand: "customer", fields: "id,customer.name" }, "id + customer(name)"],
    ["Nested ?fields=id,author.name", { fields: "id,customer.name" }, "id + customer(name)"],
    ["Nested ?fields=id,author{name,email}", { fields: "id,customer{name,email}" }, "id + customer(name,email)"],
    ["a bare relation = its default view", { fields: "id,customer" }, "id + customer(default)"],
    ["a bare relation and a part", { fields: "customer,customer.bio" }, "{} + customer(id,name,email,bio)"],
    ["a relation of a relation", { fields: "id,customer{name,company.country}" }, "id + customer(name + company(country))"],
    ["only relations", { fields: "customer.company" }, "{} + customer({} + company(default))"],
    ["`*` of a relation", { fields: "customer{*,-email}" }, "{} + customer(id,name,companyId,managerId)"],
    ["Included relations always show", { include: "customer", fields: "id" }, "id + customer(default)"],
    ["included below a choice", { include: "customer.company", fields: "id,customer{name}" }, "id + customer(name + company(default))"],
    ["many", { include: "orders.customer" }, "default + orders(default + customer(default))", { of: users }],
    ["exclude=customer.email", { include: "customer", exclude: "customer.email" }, "default + customer(id,name)"],
    ["exclude narrows a choice", { fields: "id,customer{name,email}", exclude: "customer.email" }, "id + customer(name)"],
    ["-customer.email", { include: "customer", fields: "-customer.email,-status" }, `${light.replace("status,", "")} + customer(id,name)`],
    ["-email in braces", { fields: "id,customer{-email}" }, "id + customer(id,name,companyId,managerId)"],
    ["excluding a relation removes it", { include: "customer.company", exclude: "customer" }, "default"],
    ["excluding a relation below", { include: "customer.company", exclude: "customer.company" }, "default + customer(default)"],
    ["-customer", { include: "customer", fields: "*,-customer" }, light],
    ["nothing left of a relation", { fields: "id,customer.name", exclude: "customer.name" }, "id"],
    ["fields[<type>]", { include: "customer", "fields[users]": "id,name" }, "default + customer(id,name)"],
    ["fields[<type>] everywhere", { include: "customer.manager", "fields[users]": "name" }, "default + customer(name + manager(name))"],
    [
      "a nested choice wins over fields[<type>]",
      { include: "customer.manager", fields: "id,customer{email}", "fields[users]": "name" },
      "id + customer(email + manager(name))",
    ],
    ["a bare relation takes fields[<type>]", { fields: "id,customer", "fields[users]": "name" }, "id + customer(name)"],
    ["fields[<type>] includes", { include: "customer", "fields[users]": "name,company{name}" }, "default + customer(name + company(name))"],
    ["fields[<type>] with a minus", { include: "customer", "fields[users]": "-email" }, "default + customer(id,name,companyId,managerId)"],
    ["fields[<own>] = fields", { "fields[orders]": "id,total" }, "id,total"],
    ["fields[<own>] below", { "fields[users]": "id", include: "manager" }, "id + manager(id)", { of: users }],
    ["a circle is walked once", { "fields[users]": "id,manager" }, "id + manager(id)", { of: users }],
    ["a circle over two types", { "fields[users]": "id,orders", "fields[orders]": "id,customer" }, "id + orders(id + customer(id))", { of: users }],
    ["exclude and fields[<type>]", { include: "customer", "fields[users]": "id,name", exclude: "customer.id" }, "default + customer(name)"],
  ];

  test.each(chosen)("%s: %j", (_row, texts, result, asking) => {
    const { selection, problems } = ask(texts, asking);
    expect(problems).toEqual([]);
    expect(written(selection)).toBe(result);
  });

  const refused: [row: string, texts: Texts, code: string, detail: RegExp, asking?: Asking][] = [
    ["unknown relation", { include: "custmer" }, "UNKNOWN_RELATION", /^Unknown relation "custmer" in "include"\. Did you mean "customer"\?$/],
    [
      "unknown relation below",
      { expand: "customer.compny" },
      "UNKNOWN_RELATION",
      /^Unknown relation "customer\.compny" in "expand"\. Did you mean "customer\.company"\?$/,
    ],
    ["a field is no relation", { include: "status" }, "UNKNOWN_RELATION", /^Unknown relation "status" in "include"\.$/],
    ["a forbidden field is no relation", { include: "margin" }, "UNKNOWN_RELATION", /^Unknown relation "margin" in "include"\.$/],
    [
      "unknown field of a relation",
      { fields: "customer.nmae" },
      "UNKNOWN_FIELD",
      /^Unknown field "customer\.nmae" in "fields"\. Did you mean "customer\.name"\?$/,
    ],
    [
      "unknown field in fields[<type>]",
      { include: "customer", "fields[users]": "nmae" },
      "UNKNOWN_FIELD",
      /^Unknown field "nmae" in "fields\[users\]"\. Did you mean "name"\?$/,
    ],
    [
      "unknown field in a fields[<type>] that is not needed",
      { fields: "customer.name", "fields[users]": "nmae" },
      "UNKNOWN_FIELD",
      /"nmae" in "fields\[users\]"/,
    ],
    [
      "unknown type",
      { include: "customer", "fields[user]": "id" },
      "UNKNOWN_TYPE",
      /^Unknown type "user" in "fields\[user\]"\. Did you mean "users"\?$/,
    ],
    [
      "a type that nothing leads to",
      { include: "customer", "fields[companies]": "id" },
      "UNKNOWN_TYPE",
      /^Unknown type "companies" in "fields\[companies\]"\.$/,
    ],
    [
      "`fields`+`fields[own]`",
      { fields: "id", "fields[orders]": "id" },
      "CONFLICTING_PARAMETERS",
      /^"fields" and "fields\[orders\]" mean the same; give one of them\.$/,
    ],
    ["blank include", { include: " " }, "EMPTY_VALUE", /^"include" has an empty name at character 2\.$/],
    ["element of include empty", { include: "customer,,agent" }, "EMPTY_VALUE", /^"include" has an empty name at character 10\.$/],
    ["blank fields[<type>]", { include: "customer", "fields[users]": "" }, "EMPTY_SELECTION", /^"fields\[users\]" leaves nothing to show\.$/],
    ["junk in include", { include: "customer.,x" }, "INVALID_VALUE", /"customer\." at character 1/],
    ["braces in include", { include: "customer{company}" }, "INVALID_VALUE", /"customer\{" at character 1/],
    ["everything excluded", { fields: "customer.name", exclude: "customer" }, "EMPTY_SELECTION", /^"fields" leaves nothing to show\.$/],
  ];

  test.each(refused)("%s: %j is refused", (_row, texts, code, detail, asking) => {
    expect(ask(texts, asking).problems).toEqual([expect.objectContaining({ code, detail: expect.stringMatching(detail) })]);
  });
});
