// Growing trees on rows that lie elsewhere, in parts: files read one after the other, or the workers of a cluster. The trees are, bit for
// bit, those that `grow_forests` grows on all rows in one table, whatever the parts.
//
// A `LevelGrower` holds the trees and decides; a `PartRows` per part knows which of its rows are in which node, and answers. Between them go
// messages, small beside the rows:
//
//   splits, questions  ->  PartRows::answer  ->  sum_of_answers  ->  LevelGrower::hear  -> ... until there are no questions
//   splits, tasks      ->  PartRows::gather  ->  grow_gathered   ->  LevelGrower::graft
//
// What a part knows follows from the splits, so it may be lost and made again at any time. Splits are sent once, when they are new; a part
// that was made again says that it is behind, and gets all of them.
#pragma once

#include "rarewood/grow_gathered.hpp"
#include "rarewood/level_grower.hpp"
#include "rarewood/part_rows.hpp"
