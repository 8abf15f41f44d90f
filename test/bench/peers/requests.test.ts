import { expect, test } from "vitest";
import { peers } from "../../../bench/peers/peer.js";
import {
  type Dialect,
  feathersDialect,
  jsonServerDialect,
  makeRequests,
  ownDialect,
  platformaticDialect,
  remultDialect,
  zenstackDialect,
} from "../../../bench/peers/requests.js";

const user = { id: 7, name: "Ada" };
const resource = { type: "users", id: 7, attributes: { name: "Ada" } };

test.each<[string, Dialect, user: unknown, list: unknown]>([
  ["restwright", ownDialect, user, { data: [user], meta: {} }],
  ["feathers", feathersDialect, user, { total: 1, data: [user] }],
  ["platformatic", platformaticDialect, user, [user]],
  ["remult", remultDialect, user, { items: [user], aggregates: { $count: 1 } }],
  ["zenstack", zenstackDialect, { data: resource }, { data: [resource], meta: { total: 1 } }],
  ["json-server", jsonServerDialect, user, [user]],
])("the answers of %s are read as the same user", (_, dialect, one, list) => {
  expect(dialect.readUser(JSON.stringify(one))).toEqual(user);
  expect(dialect.readList(JSON.stringify(list))).toEqual([7]);
});

test("each peer is asked for the same users, names and addresses, in the same order", () => {
  for (const { name, dialect } of peers) {
    const [own, theirs] = [makeRequests(ownDialect), makeRequests(dialect)];
    const idOf = (request: string) => /\/users\/(\d+)/.exec(request)?.[1];
    expect(idOf(theirs.get()), name).toBe(idOf(own.get()));
    expect(theirs.post(), name).toContain(/"new\.customer\.\d+@example\.com"/.exec(own.post())?.[0]);
    const change = own.patch();
    expect(idOf(theirs.patch()), name).toBe(idOf(change));
  }
});

test("the packages of each peer have a version of their own", () => {
  for (const { packages } of peers) expect(packages.filter((text) => !/^@?[a-z/-]+@\d/.test(text))).toEqual([]);
});
