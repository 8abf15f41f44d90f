import { afterEach } from "vitest";
import { faults } from "./faults.js";

afterEach(() => {
  const found = [...faults];
  faults.clear();
  if (found.length > 0) throw new Error(`Answers are not as the OpenAPI document says:\n${found.join("\n")}`);
});
