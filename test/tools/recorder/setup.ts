import { afterEach } from "vitest";
import { shared } from "./faults.js";

afterEach(async () => {
  await Promise.all(shared.comparisons);
  const found = [...shared.faults];
  shared.faults.clear();
  if (found.length > 0) throw new Error(`Answers are not as the OpenAPI document says:\n${found.join("\n")}`);
});
