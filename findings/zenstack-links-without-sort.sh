#!/usr/bin/env bash
# @zenstackhq/server 3.9.4: the links `next`, `prev`, `first` and `last` of its REST handler lack `sort` of the request, while filters and `fields` are kept. A client that walks a sorted list by
# `links.next`, as JSON:API says, gets the second page in another order: of four rows it sees one twice, and one never.
# In restwright: links have the whole query, and cursors are bound to it (docs/lists.md). docs/benchmarks.md names the difference.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund @zenstackhq/orm@3.9.4 @zenstackhq/server@3.9.4 zod@4.6.7 libsql@0.5.29
cat > walk.mjs <<'JS'
import { ZenStackClient } from "@zenstackhq/orm";
import { SqliteDialect } from "@zenstackhq/orm/dialects/sqlite";
import { RestApiHandler } from "@zenstackhq/server/api";
import Database from "libsql";

// What `zenstack generate` writes of: model note { id Int @id; title String }
const note = {
  name: "note",
  fields: { id: { name: "id", type: "Int", id: true }, title: { name: "title", type: "String" } },
  idFields: ["id"],
  uniqueFields: { id: { type: "Int" } },
};
const schema = { provider: { type: "sqlite" }, models: { note }, plugins: {} };
const client = new ZenStackClient(schema, { dialect: new SqliteDialect({ database: new Database(":memory:") }) });
await client.$pushSchema();
for (const [index, title] of ["b", "d", "a", "c"].entries()) await client.note.create({ data: { id: index + 1, title } });

const handler = new RestApiHandler({ schema, endpoint: "http://localhost" });
const titles = [];
for (let link = "http://localhost/note?sort=title&page[limit]=2"; link; ) {
  const { pathname, searchParams } = new URL(link);
  const { body } = await handler.handleRequest({ client, method: "GET", path: pathname, query: Object.fromEntries(searchParams) });
  titles.push(...body.data.map(({ attributes }) => attributes.title));
  link = body.links.next;
}
console.log(titles.join());
JS
seen=$(node walk.mjs)
echo "@zenstackhq/server 3.9.4, four rows sorted by title, two a page, walked by links.next: expected a,b,c,d; got $seen"
[[ $seen == "a,b,a,c" ]]
