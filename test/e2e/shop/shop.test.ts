// @slow

import { describe } from "vitest";
import { shopChecks } from "./shopChecks.js";

describe("the shop on express", () => shopChecks("express"));
