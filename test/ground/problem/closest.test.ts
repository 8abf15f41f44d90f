import { expect, test } from "vitest";
import { closest } from "../../../src/ground/problem/closest.js";

const known = ["status", "state", "total", "createdAt", "id", "address.city"];

test.each([
  ["statos", "status"],
  ["stat", "state"],
  ["STATUS", "status"],
  ["createdat", "createdAt"],
  ["creatdAt", "createdAt"],
  ["craetedAt", "createdAt"],
  ["totl", "total"],
  ["adress.city", "address.city"],
  ["ID", "id"],
  ["ix", "id"],
  ["xy", undefined],
  ["colour", undefined],
  ["statusos", "status"],
  ["stutososo", undefined],
  ["", undefined],
  ["x".repeat(10_000), undefined],
])("%s is meant for %s", (name, meant) => {
  expect(closest(name, known)).toBe(meant);
});
