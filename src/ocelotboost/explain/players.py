"""The players of a forest: what shares the credit for a prediction.

Shapley values divide what a tree says among its features. Two ways to count them:

    by columns    what the user gave. All questions about one column are one player, whatever kind
                  they are of: "city is 'Paris'" and the mean target of city are both city, and a
                  date is its parts. A
                  combination such as (device × site) is a player of its own, and what it earns is
                  divided equally among its columns.
    by features   what the trees ask about, such as "mean target of (device × site)".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ocelotboost.model.forest import Forest
from ocelotboost.model.importance import features_of
from ocelotboost.model.statistic_table import offsets_of
from ocelotboost.model.wording import Wording

By = Literal["columns", "features"]

Indices = NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Players:
    """Who plays in each tree, and which columns of an explanation get what they earn.

    names           of the columns of an explanation
    level_players   uint32 (n_splits,)      player of each question, numbered inside its tree
    player_offsets  uint32 (n_trees + 1,)   players of tree t
    member_offsets  uint32 (n_players + 1,) columns of each player:
    members         uint32                  numbered inside the tree, ascending
    column_offsets  uint64 (n_trees + 1,)   columns of tree t:
    columns         uint32                  which column of the explanation, ascending inside a tree
    """

    names: tuple[str, ...]
    level_players: Indices
    player_offsets: Indices
    member_offsets: Indices
    members: Indices
    column_offsets: NDArray[np.uint64]
    columns: Indices

    @property
    def n_columns(self) -> Indices:
        """How many columns of the explanation each tree has a part in: (n_trees,)."""
        return np.diff(self.column_offsets.astype(np.int64)).astype(np.uint32)


def players_of(forest: Forest, wording: Wording, by: By) -> Players:
    """The players of all trees."""
    asked = np.unique(forest.split_columns).tolist()
    if by == "columns":
        names = tuple(wording.feature(feature) for feature in range(forest.n_given))
        members = {column: tuple(features_of(forest, column)) for column in asked}
    else:
        names = tuple(wording.column(column) for column in asked)
        members = {column: (place,) for place, column in enumerate(asked)}
    splits = forest.split_offsets().tolist()
    questions = forest.split_columns.tolist()
    level_players: list[int] = []
    trees: list[list[tuple[int, ...]]] = []
    for tree in range(forest.n_trees):
        of_levels = [members[column] for column in questions[splits[tree] : splits[tree + 1]]]
        players = list(dict.fromkeys(of_levels))
        level_players += [players.index(player) for player in of_levels]
        trees.append(players)
    columns = [sorted({column for player in players for column in player}) for players in trees]
    inside = [
        [own.index(column) for column in player]
        for players, own in zip(trees, columns, strict=True)
        for player in players
    ]
    return Players(
        names=names,
        level_players=np.array(level_players, dtype=np.uint32),
        player_offsets=offsets_of([len(players) for players in trees], np.uint32),
        member_offsets=offsets_of([len(own) for own in inside], np.uint32),
        members=_joined(inside),
        column_offsets=offsets_of([len(own) for own in columns], np.uint64),
        columns=_joined(columns),
    )


def _joined(lists: list[list[int]]) -> Indices:
    return np.array([number for own in lists for number in own], dtype=np.uint32)
