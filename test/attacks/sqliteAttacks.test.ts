// @slow only-in-full

import { describeAttacks } from "./describeAttacks.js";

describeAttacks("SQLite");
